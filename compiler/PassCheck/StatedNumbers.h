// The float numbers that a model states, and the errors of those that a pass computed or replaced.
//
// Two expressions may compute the same although one states a number that the other does not: a pass computed
// it from others and rounded it, or it is the rounding of a real number that an operator of the other has
// exactly, as the square root of two in GELU. Numbers that both state equally often count as exact.
#pragma once

#include "compiler/PassCheck/RoundingBound.h"

#include <set>

namespace tilerig::compiler {

// Hashes of the elements of a model's float constants, by name; the same for the same elements in any order.
using ConstantHashes = std::map<std::string, uint64_t>;
ConstantHashes hashConstants(const onnx::GraphProto &graph);

// How often an expression states each number.
class StatedNumbers {
public:
  StatedNumbers(const Nodes &nodes, const ConstantHashes &constants, const Magnitudes &magnitudes);

  // Whose errors a function returns: of the numbers that a pass computed, or of those that it replaced.
  enum class Numbers { computed, replaced };
  // Errors of the numbers that this expression states more often than the other one.
  NumberErrors errorsBeside(const StatedNumbers &other, Numbers numbers) const;

private:
  // A constant as it is identified: by its number if it has one element, else by its elements.
  struct Constant {
    bool isScalar;
    double number;
    uint64_t hash;
    Magnitude magnitude;
  };

  bool isOftenerThanIn(const StatedNumbers &other, const Constant &constant) const;
  bool isOftenerThanIn(const StatedNumbers &other, double number) const;

  std::map<std::string, Constant> constants; // by name
  std::map<uint64_t, size_t> tensors;        // uses of constants of more elements, by their hash
  std::map<double, size_t> scalars;          // uses of constants of one element, and attributes
  std::set<double> attributes;
};

} // namespace tilerig::compiler
