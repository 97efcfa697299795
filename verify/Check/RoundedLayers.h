// Checks that the chosen precision changed each layer by no more than rounding allows.
//
// Each layer of the emitted ONNX model is computed twice from the expected values of its inputs: in its
// precision, and in fp64. The results may differ by at most a bound, which is derived from the operations
// after which the layer rounds (its rounding points):
//
//   sum of products   each weight is off by half a step of its type, each addition and product by half a unit
//                     in the last place; the same sum is evaluated with magnitudes and these errors
//   sum of elements   each addition is off by half a unit in the last place
//   rows              softmax and normalisations have bounds of their own (RowErrors.h)
//   overflow          a sum that may overflow in fp32, or a weight that is infinite in its type, may give
//                     any result
//   function of sum   is evaluated at both ends of the sum's interval; if it is not monotonic, the error is
//                     multiplied by its steepest slope
//   result            is off by half a step of its type; results in 8 bits are clamped to their range
//   stated types      if all types of a layer are stated by the original model, every bit must be equal
//   other layers      may be off by 1e-5 of the tensor's largest magnitude, and by half a step of the result;
//                     layers that only move elements must give equal elements
//
// The layer in fp64 rounds nothing, not even where the model itself has 16-bit floats or quantised integers.
// EmittedLayers.h checks that the layers in floats compute the original model.
#pragma once

#include "compiler/Pipelines/DescribedLayer.h"
#include "verify/Check/CompileStep.h"
#include "verify/Check/Expectation.h"
#include "verify/Metrics/Comparison.h"

namespace tilerig::verify {

struct RoundedLayer {
  std::string name; // name of the tensor that the layer computes
  std::string kind; // kind of the layer
  TensorStatus status = TensorStatus::match;
  std::string reason;
  uint64_t elements = 0;
  double worst = 0; // largest error of an element, as a fraction of the element's error bound
  // Error and error bound of the element whose error is the largest fraction of its bound.
  double error = 0, bound = 0;
  uint64_t index = 0; // index of the element whose error is the largest fraction of its bound
};

// Compares each layer that runs on the accelerator, computed in its precision, with the same layer in floats.
// Conversions between precisions are left out, because they have no float form. `name` is the prefix of
// messages.
Result<std::vector<RoundedLayer>> judgeRounded(const CompiledModel &compiled, const std::string &name,
                                               const Expectation &expectation, reference::Threads &threads);

} // namespace tilerig::verify
