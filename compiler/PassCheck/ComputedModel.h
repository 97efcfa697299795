// An ONNX model that was run, with the magnitudes of its computed tensors, which bound the rounding errors.
#pragma once

#include "compiler/Export/Export.h"
#include "compiler/PassCheck/StatedNumbers.h"

namespace tilerig::compiler {

class ComputedModel {
public:
  // The model must outlive this object. `results` is the number of the model's results, whose names are those
  // of Segment::resultName().
  ComputedModel(const onnx::ModelProto &model, size_t results);

  void note(const std::string &name, const Tensor &tensor) { magnitudes[name] = Magnitude::of(tensor); }

  // The float constants and attributes in the expression of a result.
  StatedNumbers numbersOf(size_t result) const { return {expressions[result], constants, magnitudes}; }
  // The bound of a result's rounding error; infinite if no bound is known for an operator, which is then
  // named by the string.
  std::pair<double, std::string> boundOf(size_t result, const NumberErrors &numbers) const;
  // Whether all tensors in the expression of a result have finite elements only. With `isNarrow`, only
  // tensors of 16-bit float types are examined, in which sums of moderate numbers overflow.
  bool isFinite(size_t result, bool isNarrow) const;

private:
  std::vector<Nodes> expressions; // the nodes that compute each result of the model
  ConstantHashes constants;
  Magnitudes magnitudes;
};

} // namespace tilerig::compiler
