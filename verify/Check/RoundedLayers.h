// What the decision on precisions did to each layer, and whether it may have. The layer as it is emitted
// reads what the oracle has there; the same layer in floats is computed in fp64 on exactly that; and they may
// differ by what the layer's rounding points allow, and by no more:
//
//   sum of products   each weight is off by half a step of its type, a bias of integers by half a unit, each
//                     addition and product in fp32 by half a unit of the last place: the same sum of
//                     magnitudes, with those errors in place of weights and bias, bounds it; then half a step
//                     of the type in between, if there is one
//   sum of elements   each addition by half a unit of the last place, likewise
//   rows              softmax and normalisations: RowErrors.h
//   overflow          a sum whose terms' magnitudes overflow in fp32, or a weight that its type has as
//                     infinity, may be anything
//   what follows it   at both ends of what the sum may be, or its steepest slope where it turns
//   result            half a step of its type; 8 bits saturate, so the float form is bounded to their range
//   layers as stated  whose every type is the model's own: nothing was decided, and every bit is what the
//                     layer gives in the machine's arithmetic
//   everything else   is computed in fp32 on exact operands: 1e-5 of the tensor's largest magnitude, and the
//                     result's half step; what only moves elements does not differ at all
//
// The form is not rounded: 16-bit floats of the model itself are fp64 in it, and integers that it makes of
// reals are these reals. Nothing in it is measured. That the layers in floats are the model is judged
// elsewhere (EmittedLayers.h).
#pragma once

#include "compiler/Driver/DescribedLayer.h"
#include "verify/Check/CompileStep.h"
#include "verify/Check/Expectation.h"
#include "verify/Metrics/Comparison.h"

namespace tilerig::verify {

struct RoundedLayer {
  std::string name, kind; // name: of the tensor that it makes
  TensorStatus status = TensorStatus::match;
  std::string reason;
  uint64_t elements = 0;
  double worst = 0;            // the largest error as a part of its bound
  double error = 0, bound = 0; // of that element
  uint64_t index = 0;          // its place
};

// The layers of the accelerator in their order; conversions that precisions brought have no float form.
// `name` leads messages.
Result<std::vector<RoundedLayer>> judgeRounded(const CompiledModel &compiled, const std::string &name,
                                               const Expectation &expectation, reference::Threads &threads);

} // namespace tilerig::verify
