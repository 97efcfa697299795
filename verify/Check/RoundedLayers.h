// Checks that the chosen precision changed each layer by no more than rounding allows. Each layer of the
// emitted ONNX model is computed twice from the oracle's values: in its precision, and in fp64. The
// difference of the results is bounded by the rounding points of the layer, the operations after which it
// rounds:
//
//   sum of products   each weight is off by half a step of its type, an integer bias by half a unit, each
//                     addition and product in fp32 by half a unit in the last place: bounded by the same sum
//                     of magnitudes with those errors in place of weights and bias; then half a step of the
//                     intermediate type, if there is one
//   sum of elements   each addition by half a unit in the last place, bounded in the same way
//   rows              softmax and normalisations: RowErrors.h
//   overflow          a sum whose terms' magnitudes overflow in fp32, or a weight that is infinite in its
//                     type, may be anything
//   following         evaluated at both ends of the sum's interval, or its steepest slope if it is not
//   operators         monotonic
//   result            half a step of its type; 8 bits saturate, so the float form is clamped to their range
//   layers as stated  all types are the model's own: no precision was decided, and every bit is what the
//                     layer computes in the machine's arithmetic
//   everything else   is computed in fp32 on exact operands: 1e-5 of the tensor's largest magnitude, and the
//                     result's half step; what only moves elements does not differ at all
//
// The layer in floats is not rounded: 16-bit floats of the model itself become fp64, and integers to which
// the model rounds real numbers become these real numbers. All bounds are derived, none is measured.
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
