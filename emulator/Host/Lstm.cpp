// The host operator LSTM; names are those of the ONNX specification. fl() is one rounding to fp32; dot(v, M)
// is a chain of fused multiply-adds in ascending order, and "+ dot" continues the chain from the sum on its
// left.
//
// H and C are the hidden state and the cell state before a step, H' and C' those after it. W, R, Wb and Rb of
// each gate are its rows of the weights and biases, p its peephole weights.
//
//   gate = fl(dot(x, W) + fl(Wb + Rb)) + dot(H, R)
//   i = sigmoid(gate + p C), f = sigmoid(gate + p C), c = tanh(gate)
//   C' = fl(fl(f C) + fl(i c))
//   o = sigmoid(gate + p C'), H' = fl(o tanh(C'))
//
// A sequence of the batch that has ended keeps its state, and its later outputs are 0.
#include "emulator/Host/Recurrent.h"

#include <algorithm>

namespace tilerig::emulator {

Result<HostResult> runLstm(const HostCall &call) {
  TILERIG_TRY(const int64_t coupled, call.integer("input_forget", 0));
  if (coupled != 0)
    return unsupported("host kernel 'LSTM'", "coupled gates (attribute input_forget) are not supported");
  TILERIG_TRY(const Recurrence recurrence, Recurrence::of(call, 4));
  TILERIG_TRY(const auto initialC,
              floatsOf(call, 6, recurrence.directions * recurrence.batches * recurrence.hidden));
  TILERIG_TRY(const auto peephole, floatsOf(call, 7, recurrence.directions * 3 * recurrence.hidden));
  TILERIG_TRY(Tensor all, Tensor::make(DType::f32, recurrence.shapeOfAll()));
  TILERIG_TRY(Tensor lastH, Tensor::make(DType::f32, recurrence.shapeOfStates()));
  TILERIG_TRY(Tensor lastC, Tensor::make(DType::f32, recurrence.shapeOfStates()));
  const auto states = lastH.mutableAs<float>(), cells = lastC.mutableAs<float>();
  std::ranges::copy(recurrence.initialH, states.begin());
  std::ranges::copy(initialC, cells.begin());
  std::vector<float> gates(static_cast<size_t>(4 * recurrence.hidden));
  recurrence.walk(states, all.mutableAs<float>(), [&](int64_t d, int64_t state, const float *x) {
    float *h = &states[state], *c = &cells[state];
    for (int64_t row = 0; row < 4 * recurrence.hidden; ++row)
      gates[row] = recurrence.withHidden(d, row, h,
                                         recurrence.withInput(d, row, x) +
                                             (recurrence.inputBias(d, row) + recurrence.hiddenBias(d, row)));
    // The gates of an LSTM have the order input, output, forget, cell; the peepholes have the order input,
    // output, forget.
    const auto gate = [&](int64_t which, int64_t n) { return gates[which * recurrence.hidden + n]; };
    const auto peep = [&](int64_t which, int64_t n) {
      return peephole.empty() ? 0 : peephole[(d * 3 + which) * recurrence.hidden + n];
    };
    for (int64_t n = 0; n < recurrence.hidden; ++n) {
      const float i = sigmoidOf(gate(0, n) + peep(0, n) * c[n]),
                  f = sigmoidOf(gate(2, n) + peep(2, n) * c[n]);
      const float kept = f * c[n], fresh = i * tanhOf(gate(3, n));
      c[n] = kept + fresh;
      h[n] = sigmoidOf(gate(1, n) + peep(1, n) * c[n]) * tanhOf(c[n]);
    }
  });
  return HostResult{std::vector{std::move(all), std::move(lastH), std::move(lastC)}, recurrence.operations()};
}

} // namespace tilerig::emulator
