// Checks that the layers of the emitted ONNX model still compute the original model. The compiler itself
// writes the ONNX model that serves as oracle, so this model is judged, too: every layer, in the form
// before precisions are decided, gets the original's value of each of its inputs and has to compute the
// original's value of its result.
//
// The layers are judged between tensors that also exist in the original model, under the same names. Tensors
// inside a layer were fused away, so the emitted ONNX model has no counterpart of them.
//
// 16-bit floats of the original model become float32 in both models, so roundings do not matter here. Whether
// layers round correctly is judged elsewhere (RoundedLayers.h). If a layer computes quantised integers where
// the original has real numbers, real numbers are compared. Where a tensor that was fused away overflows in
// the original, the original's result in fp64 is accepted too.
#pragma once

#include "verify/Check/CompileStep.h"
#include "verify/Metrics/Comparison.h"

#include <onnx/onnx_pb.h>
#include <set>

namespace tilerig::verify {

struct EmittedLayer {
  std::string name;              // name of the tensor that the layer computes
  std::set<std::string> sources; // names of the other layers' tensors that the layer reads
  // Compares the layer's result with the original model's. The status is a match if no error exceeds `bound`.
  Comparison comparison;
  // Largest absolute error that is accepted; raised where folded 16-bit constants (ConstantRoundings.h) or
  // the length of rows (RowErrors.h) explain a larger error.
  double bound = 0;
};

// Compares the result of each layer, computed in floats, with the original model. `truth` holds the tensors
// of the original model without its roundings to 16-bit floats (Expectation.h).
Result<std::vector<EmittedLayer>> judgeEmitted(const CompiledModel &compiled, const SourceModel &source,
                                               const TensorMap &inputs, const TensorMap &truth,
                                               reference::Threads &threads);

// Returns the model with every use of one of `tensors` replaced by a graph input named givenName(). A single
// run then computes each layer from given operands.
onnx::ModelProto withGiven(onnx::ModelProto layers, const TensorMap &tensors);
std::string givenName(const std::string &tensor);

} // namespace tilerig::verify
