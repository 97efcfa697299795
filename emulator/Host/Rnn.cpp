// The host operator RNN; names are those of the ONNX specification. fl() is one rounding to fp32; dot(v, M)
// is a chain of fused multiply-adds in ascending order, and "+ dot" continues the chain from the sum on its
// left.
//
//   H = tanh(fl(dot(x, W) + fl(Wb + Rb)) + dot(H, R))
#include "emulator/Host/Recurrent.h"

#include <algorithm>

namespace tilerig::emulator {

Result<HostResult> runRnn(const HostCall &call) {
  TILERIG_TRY(const Recurrence it, Recurrence::of(call, 1));
  TILERIG_TRY(Tensor all, Tensor::make(DType::f32, it.shapeOfAll()));
  TILERIG_TRY(Tensor last, Tensor::make(DType::f32, it.shapeOfStates()));
  const auto states = last.mutableAs<float>();
  std::ranges::copy(it.initialH, states.begin());
  std::vector<float> next(static_cast<size_t>(it.hidden));
  it.walk(states, all.mutableAs<float>(), [&](int64_t d, int64_t state, const float *x) {
    for (int64_t row = 0; row < it.hidden; ++row)
      next[row] = tanhOf(it.withHidden(
          d, row, &states[state], it.withInput(d, row, x) + (it.inputBias(d, row) + it.hiddenBias(d, row))));
    std::ranges::copy(next, &states[state]);
  });
  return HostResult{std::vector{std::move(all), std::move(last)}, it.operations()};
}

} // namespace tilerig::emulator
