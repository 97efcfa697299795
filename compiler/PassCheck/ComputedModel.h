// A model that computes values of a function, with everything that it has computed.
#pragma once

#include "compiler/Export/Export.h"
#include "compiler/PassCheck/StatedNumbers.h"

namespace tilerig::compiler {

class ComputedModel {
public:
  // The model must outlive this object. `results`: number of its results, which are named as Segment names
  // them.
  ComputedModel(const onnx::ModelProto &model, size_t results);

  void note(const std::string &name, const Tensor &tensor) { magnitudes[name] = Magnitude::of(tensor); }

  // The numbers that the expression of a result states.
  StatedNumbers numbersOf(size_t result) const { return {expressions[result], constants, magnitudes}; }
  // The bound of the error of a result, and the operator for which none is known.
  std::pair<double, std::string> boundOf(size_t result, const NumberErrors &numbers) const;
  // Whether no tensor in the expression of a result has elements that are infinite or NaN. `isNarrow` limits
  // this to types in which sums of moderate numbers overflow.
  bool isFinite(size_t result, bool isNarrow) const;

private:
  std::vector<Nodes> expressions; // of each result, the nodes that compute it
  ConstantHashes constants;
  Magnitudes magnitudes;
};

} // namespace tilerig::compiler
