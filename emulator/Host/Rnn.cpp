// The host operator RNN; names are those of the ONNX specification. fl() is one rounding to fp32; dot(v, M)
// is a chain of fused multiply-adds in ascending order, and "+ dot" continues the chain from the sum on its
// left.
//
//   H = tanh(fl(dot(x, W) + fl(Wb + Rb)) + dot(H, R))
#include "emulator/Host/Recurrent.h"

#include <algorithm>

namespace tilerig::emulator {

Result<HostResult> runRnn(const HostCall &call) {
  TILERIG_TRY(const Recurrence recurrence, Recurrence::of(call, 1));
  TILERIG_TRY(Tensor all, Tensor::make(DType::f32, recurrence.shapeOfAll()));
  TILERIG_TRY(Tensor last, Tensor::make(DType::f32, recurrence.shapeOfStates()));
  const auto states = last.mutableAs<float>();
  std::ranges::copy(recurrence.initialH, states.begin());
  std::vector<float> next(static_cast<size_t>(recurrence.hidden));
  recurrence.walk(states, all.mutableAs<float>(), [&](int64_t d, int64_t state, const float *x) {
    for (int64_t row = 0; row < recurrence.hidden; ++row)
      next[row] = tanhOf(recurrence.withHidden(
          d, row, &states[state],
          recurrence.withInput(d, row, x) + (recurrence.inputBias(d, row) + recurrence.hiddenBias(d, row))));
    std::ranges::copy(next, &states[state]);
  });
  return HostResult{std::vector{std::move(all), std::move(last)}, recurrence.operations()};
}

} // namespace tilerig::emulator
