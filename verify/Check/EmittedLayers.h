// Checks that the layers of the emitted ONNX model compute the same as the original model.
//
// The compiler itself writes the emitted ONNX model, from which the expected tensors of a check are computed,
// so this model must be checked as well. Each layer gets the original model's tensors as inputs, and its
// result is compared with the original model's tensor of the same name. The layers are computed in floats, as
// they are before the compiler decides precisions. Tensors that the compiler fused away cannot be compared.
//
// 16-bit floats of the original model become float32 in both models. Whether layers round correctly is
// checked elsewhere (RoundedLayers.h). If a layer computes quantised integers, they are compared as the real
// numbers that they represent. If a tensor that was fused away overflows in the original model, the original
// model's result in fp64 is accepted as well.
#pragma once

#include "verify/Check/CompileStep.h"
#include "verify/Metrics/Comparison.h"

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

} // namespace tilerig::verify
