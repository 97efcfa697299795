// The host operator GRU; names are those of the ONNX specification. fl() is one rounding to fp32; dot(v, M)
// is a chain of fused multiply-adds in ascending order, and "+ dot" continues the chain from the sum on its
// left.
//
//   z, r = sigmoid(fl(dot(x, W) + fl(Wb + Rb)) + dot(H, R))
//   n = tanh(fl(dot(x, W) + fl(Wb + Rb)) + dot(fl(r H), R)), or, if linear_before_reset is 1,
//       tanh(fl(dot(x, W) + Wb) + fl(r fl(dot(H, R) + Rb)))
//   H = fl(fl((1 - z) n) + fl(z H))
#include "emulator/Host/Recurrent.h"

#include <algorithm>

namespace tilerig::emulator {

Result<HostResult> runGru(const HostCall &call) {
  TILERIG_TRY(const int64_t linearFirst, call.integer("linear_before_reset", 0));
  TILERIG_TRY(const Recurrence recurrence, Recurrence::of(call, 3));
  TILERIG_TRY(Tensor all, Tensor::make(DType::f32, recurrence.shapeOfAll()));
  TILERIG_TRY(Tensor last, Tensor::make(DType::f32, recurrence.shapeOfStates()));
  const auto states = last.mutableAs<float>();
  std::ranges::copy(recurrence.initialH, states.begin());
  std::vector<float> gates(static_cast<size_t>(3 * recurrence.hidden)),
      reset(static_cast<size_t>(recurrence.hidden));
  recurrence.walk(states, all.mutableAs<float>(), [&](int64_t d, int64_t state, const float *x) {
    float *h = &states[state];
    const auto bias = [&](int64_t row) {
      return recurrence.inputBias(d, row) + recurrence.hiddenBias(d, row);
    };
    for (int64_t row = 0; row < 2 * recurrence.hidden; ++row)
      gates[row] = sigmoidOf(recurrence.withHidden(d, row, h, recurrence.withInput(d, row, x) + bias(row)));
    for (int64_t n = 0; n < recurrence.hidden; ++n)
      reset[n] = gates[recurrence.hidden + n] * h[n];
    for (int64_t row = 2 * recurrence.hidden, n = 0; n < recurrence.hidden; ++row, ++n)
      gates[row] =
          tanhOf(linearFirst ? recurrence.withInput(d, row, x) + recurrence.inputBias(d, row) +
                                   gates[recurrence.hidden + n] *
                                       (recurrence.withHidden(d, row, h, 0) + recurrence.hiddenBias(d, row))
                             : recurrence.withHidden(d, row, reset.data(),
                                                     recurrence.withInput(d, row, x) + bias(row)));
    for (int64_t n = 0; n < recurrence.hidden; ++n) {
      const float fresh = (1 - gates[n]) * gates[2 * recurrence.hidden + n], kept = gates[n] * h[n];
      h[n] = fresh + kept;
    }
  });
  return HostResult{std::vector{std::move(all), std::move(last)}, recurrence.operations()};
}

} // namespace tilerig::emulator
