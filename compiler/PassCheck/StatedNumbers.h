// The float constants and attributes of an expression, and the rounding errors of those that a pass computed
// or replaced.
//
// Two expressions may compute the same although one contains a number that the other does not. The pass may
// have computed the number from others and rounded it. Or an operator contains the number exactly, as GELU
// contains the square root of two. Numbers that occur equally often in both expressions count as exact.
#pragma once

#include "compiler/PassCheck/RoundingBound.h"

#include <set>

namespace tilerig::compiler {

// A hash of the elements of each float constant of a model, by the constant's name. It does not depend on the
// order of the elements.
using ConstantHashes = std::map<std::string, uint64_t>;
ConstantHashes hashConstants(const onnx::GraphProto &graph);

// Counts how often each number occurs in an expression, as a constant or attribute.
class StatedNumbers {
public:
  StatedNumbers(const Nodes &nodes, const ConstantHashes &constants, const Magnitudes &magnitudes);

  // Chooses the numbers of an expression for which rounding errors are returned: those that a pass computed,
  // or those that a pass replaced.
  enum class Numbers { computed, replaced };
  // Returns the rounding errors of those constants and attributes that occur in this expression more often
  // than in the expression `other`.
  NumberErrors errorsBeside(const StatedNumbers &other, Numbers numbers) const;

private:
  // Identifies a constant: by its number if it has one element, else by the hash of its elements.
  struct Constant {
    bool isScalar;
    double number;
    uint64_t hash;
    Magnitude magnitude;
  };

  bool isOftenerThanIn(const StatedNumbers &other, const Constant &constant) const;
  bool isOftenerThanIn(const StatedNumbers &other, double number) const;

  std::map<std::string, Constant> constants; // by name
  // Number of uses of each constant with several elements, by the hash of its elements.
  std::map<uint64_t, size_t> tensors;
  // Number of uses of each number that is an attribute or a constant with one element.
  std::map<double, size_t> scalars;
  std::set<double> attributes;
};

} // namespace tilerig::compiler
