// LSTM with the default activations, in fp32.
//
//   gate = fma over ascending k from fl(Wb + Rb): first of the input, then of the hidden state
//   i, o, f = sigmoid(gate + p c), c = tanh(gate)
//   C = fl(fl(f C') + fl(i c)), H = fl(o tanh(C)), the peephole of o with the new C
//
// A batch whose sequence has ended keeps its state, and its outputs from there on are 0.
#include "emulator/Host/Kernels.h"
#include "isa/Numerics/Functions.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

namespace tilerig {

namespace {

struct Layer {
  int64_t steps, batches, inputs, hidden, directions;
  bool batchFirst; // layout 1
  std::span<const float> x, weights, recurrence, bias, initialH, initialC, peephole;
  std::span<const int32_t> lengths;

  int64_t lengthOf(int64_t batch) const { return lengths.empty() ? steps : lengths[batch]; }
  const float *input(int64_t step, int64_t batch) const {
    return &x[(batchFirst ? batch * steps + step : step * batches + batch) * inputs];
  }
  // Of the tensors of states: [directions, batches, hidden], or batches first.
  int64_t stateAt(int64_t direction, int64_t batch) const {
    return (batchFirst ? batch * directions + direction : direction * batches + batch) * hidden;
  }
  // Of the first output: [steps, directions, batches, hidden], or [batches, steps, directions, hidden].
  int64_t outputAt(int64_t step, int64_t direction, int64_t batch) const {
    return (batchFirst ? (batch * steps + step) * directions + direction
                       : (step * directions + direction) * batches + batch) *
           hidden;
  }
};

float sigmoid(float x) { return evaluate(MathFunction::sigmoid, x); }
float tanhOf(float x) { return evaluate(MathFunction::tanh, x); }

class Cell {
public:
  Cell(const Layer &layer, int64_t direction) : it(layer), direction(direction), gates(4 * layer.hidden) {}

  void step(const float *x, float *h, float *c) {
    enum { input, output, forget, cell };
    for (int64_t row = 0; row < 4 * it.hidden; ++row)
      gates[row] = gate(row, x, h);
    for (int64_t n = 0; n < it.hidden; ++n) {
      const auto at = [&](int which) { return gates[which * it.hidden + n]; };
      const float i = sigmoid(at(input) + peep(0, n) * c[n]), f = sigmoid(at(forget) + peep(2, n) * c[n]);
      const float kept = f * c[n], fresh = i * tanhOf(at(cell));
      c[n] = kept + fresh;
      h[n] = sigmoid(at(output) + peep(1, n) * c[n]) * tanhOf(c[n]);
    }
  }

private:
  float gate(int64_t row, const float *x, const float *h) const {
    const int64_t rows = 4 * it.hidden, at = direction * rows + row;
    float acc = it.bias.empty()
                    ? 0
                    : it.bias[direction * 2 * rows + row] + it.bias[direction * 2 * rows + rows + row];
    for (int64_t k = 0; k < it.inputs; ++k)
      acc = std::fma(it.weights[at * it.inputs + k], x[k], acc);
    for (int64_t k = 0; k < it.hidden; ++k)
      acc = std::fma(it.recurrence[at * it.hidden + k], h[k], acc);
    return acc;
  }
  // In the order input, output, forget.
  float peep(int64_t which, int64_t n) const {
    return it.peephole.empty() ? 0 : it.peephole[(direction * 3 + which) * it.hidden + n];
  }

  const Layer &it;
  int64_t direction;
  std::vector<float> gates;
};

Result<std::span<const float>> floatsOf(const HostCall &call, size_t index, int64_t wanted) {
  const Tensor *tensor = call.optional(index);
  if (!tensor)
    return std::span<const float>();
  TRY(const auto values, tensor->tryAs<float>());
  if (static_cast<int64_t>(values.size()) != wanted)
    return call.refuse(
        fmt::format("input {} is {}, and {} elements are wanted", index, showShape(tensor->shape()), wanted));
  return values;
}

Result<Layer> layerFrom(const HostCall &call) {
  for (const char *attribute : {"activations", "activation_alpha", "activation_beta", "clip"})
    if (call.work.attributes().contains(attribute))
      return unsupported(fmt::format("host kernel '{}'", call.work.kernel()),
                         fmt::format("attribute '{}' is not known", attribute));
  TRY(const int64_t coupled, call.integer("input_forget", 0));
  TRY(const int64_t layout, call.integer("layout", 0));
  TRY(const Tensor *x, call.input(0));
  TRY(const Tensor *weights, call.input(1));
  TRY(const Tensor *recurrence, call.input(2));
  const Shape &xs = x->shape(), &ws = weights->shape(), &rs = recurrence->shape();
  if (coupled != 0)
    return unsupported(fmt::format("host kernel '{}'", call.work.kernel()), "coupled gates (input_forget)");
  if (xs.size() != 3 || ws.size() != 3 || rs.size() != 3 || ws[2] != xs[2] || rs[1] != ws[1] ||
      ws[1] != 4 * rs[2] || ws[0] != rs[0] || ws[0] < 1 || ws[0] > 2)
    return call.refuse(
        fmt::format("X {}, W {} and R {} do not fit", showShape(xs), showShape(ws), showShape(rs)));
  Layer it{.steps = xs[layout ? 1 : 0],
           .batches = xs[layout ? 0 : 1],
           .inputs = xs[2],
           .hidden = rs[2],
           .directions = ws[0],
           .batchFirst = layout != 0,
           .x = {},
           .weights = {},
           .recurrence = {},
           .bias = {},
           .initialH = {},
           .initialC = {},
           .peephole = {},
           .lengths = {}};
  const int64_t states = it.directions * it.batches * it.hidden;
  TRY(it.x, x->tryAs<float>());
  TRY(it.weights, weights->tryAs<float>());
  TRY(it.recurrence, recurrence->tryAs<float>());
  TRY(it.bias, floatsOf(call, 3, it.directions * 8 * it.hidden));
  TRY(it.initialH, floatsOf(call, 5, states));
  TRY(it.initialC, floatsOf(call, 6, states));
  TRY(it.peephole, floatsOf(call, 7, it.directions * 3 * it.hidden));
  if (const Tensor *lengths = call.optional(4)) {
    TRY(it.lengths, lengths->tryAs<int32_t>());
    if (static_cast<int64_t>(it.lengths.size()) != it.batches ||
        std::ranges::any_of(it.lengths, [&](int32_t length) { return length < 0 || length > it.steps; }))
      return call.refuse(
          fmt::format("sequence lengths do not fit {} batches of {} steps", it.batches, it.steps));
  }
  return it;
}

} // namespace

Result<std::vector<Tensor>> runLstm(const HostCall &call) {
  TRY(const Layer it, layerFrom(call));
  const std::string direction = call.text("direction", "forward");
  if ((direction == "bidirectional") != (it.directions == 2))
    return call.refuse(fmt::format("direction '{}' with weights for {}", direction, it.directions));
  const Shape states = it.batchFirst ? Shape{it.batches, it.directions, it.hidden}
                                     : Shape{it.directions, it.batches, it.hidden};
  TRY(Tensor all,
      Tensor::make(DType::f32, it.batchFirst ? Shape{it.batches, it.steps, it.directions, it.hidden}
                                             : Shape{it.steps, it.directions, it.batches, it.hidden}));
  TRY(Tensor lastH, Tensor::make(DType::f32, states));
  TRY(Tensor lastC, Tensor::make(DType::f32, states));
  const auto outputs = all.mutableAs<float>(), h = lastH.mutableAs<float>(), c = lastC.mutableAs<float>();
  std::ranges::copy(it.initialH, h.begin());
  std::ranges::copy(it.initialC, c.begin());
  for (int64_t d = 0; d < it.directions; ++d) {
    Cell cell(it, d);
    const bool backwards = d == 1 || direction == "reverse";
    for (int64_t batch = 0; batch < it.batches; ++batch)
      for (int64_t i = 0; i < it.lengthOf(batch); ++i) {
        const int64_t step = backwards ? it.lengthOf(batch) - 1 - i : i, state = it.stateAt(d, batch);
        cell.step(it.input(step, batch), &h[state], &c[state]);
        std::copy_n(&h[state], it.hidden, &outputs[it.outputAt(step, d, batch)]);
      }
  }
  return std::vector{std::move(all), std::move(lastH), std::move(lastC)};
}

} // namespace tilerig
