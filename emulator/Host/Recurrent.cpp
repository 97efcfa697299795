#include "emulator/Host/Recurrent.h"

#include "isa/Numerics/Functions.h"
#include "isa/Timing/Host.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

namespace tilerig::emulator {

float sigmoidOf(float x) { return evaluate(MathFunction::sigmoid, x); }
float tanhOf(float x) { return evaluate(MathFunction::tanh, x); }

Result<std::span<const float>> floatsOf(const HostCall &call, size_t index, int64_t wanted) {
  const Tensor *tensor = call.optional(index);
  if (!tensor)
    return std::span<const float>();
  TILERIG_TRY(const auto values, tensor->tryAs<float>());
  if (static_cast<int64_t>(values.size()) != wanted)
    return call.refuse(fmt::format("input {} has shape {}, expected {} elements", index,
                                   showShape(tensor->shape()), wanted));
  return values;
}

Result<Recurrence> Recurrence::of(const HostCall &call, int64_t gates) {
  for (const char *attribute : {"activations", "activation_alpha", "activation_beta", "clip"})
    if (call.work.attributes().contains(attribute))
      return unsupported(fmt::format("host kernel '{}'", call.work.kernel()),
                         fmt::format("attribute '{}' is not supported", attribute));
  TILERIG_TRY(const int64_t layout, call.integer("layout", 0));
  TILERIG_TRY(const Tensor *x, call.input(0));
  TILERIG_TRY(const Tensor *weights, call.input(1));
  TILERIG_TRY(const Tensor *recurrence, call.input(2));
  const Shape &xs = x->shape(), &ws = weights->shape(), &rs = recurrence->shape();
  if (xs.size() != 3 || ws.size() != 3 || rs.size() != 3 || ws[2] != xs[2] || rs[1] != ws[1] ||
      ws[1] != gates * rs[2] || ws[0] != rs[0] || ws[0] < 1 || ws[0] > 2)
    return call.refuse(fmt::format("the shapes of X {}, W {} and R {} do not match", showShape(xs),
                                   showShape(ws), showShape(rs)));
  Recurrence result;
  result.gates = gates;
  result.batchFirst = layout != 0;
  result.steps = xs[result.batchFirst ? 1 : 0];
  result.batches = xs[result.batchFirst ? 0 : 1];
  result.inputs = xs[2];
  result.hidden = rs[2];
  result.directions = ws[0];
  const std::string direction = call.text("direction", "forward");
  result.reverse = direction == "reverse";
  if ((direction == "bidirectional") != (result.directions == 2))
    return call.refuse(fmt::format("direction is '{}', but the weights are for {} directions", direction,
                                   result.directions));
  TILERIG_TRY(result.x, x->tryAs<float>());
  TILERIG_TRY(result.weights, weights->tryAs<float>());
  TILERIG_TRY(result.recurrence, recurrence->tryAs<float>());
  TILERIG_TRY(result.bias, floatsOf(call, 3, result.directions * 2 * gates * result.hidden));
  TILERIG_TRY(result.initialH, floatsOf(call, 5, result.directions * result.batches * result.hidden));
  if (const Tensor *lengths = call.optional(4)) {
    TILERIG_TRY(result.lengths, lengths->tryAs<int32_t>());
    if (static_cast<int64_t>(result.lengths.size()) != result.batches ||
        std::ranges::any_of(result.lengths,
                            [&](int32_t length) { return length < 0 || length > result.steps; }))
      return call.refuse(
          fmt::format("there must be {} sequence lengths, each from 0 to {}", result.batches, result.steps));
  }
  return result;
}

Shape Recurrence::shapeOfAll() const {
  return batchFirst ? Shape{batches, steps, directions, hidden} : Shape{steps, directions, batches, hidden};
}
Shape Recurrence::shapeOfStates() const {
  return batchFirst ? Shape{batches, directions, hidden} : Shape{directions, batches, hidden};
}

uint64_t Recurrence::operations() const {
  int64_t all = 0;
  for (int64_t batch = 0; batch < batches; ++batch)
    all += lengthOf(batch);
  return operationsOfRecurrence(static_cast<uint64_t>(all), weights.size() + recurrence.size());
}

float Recurrence::inputBias(int64_t direction, int64_t row) const {
  return bias.empty() ? 0 : bias[direction * 2 * gates * hidden + row];
}
float Recurrence::hiddenBias(int64_t direction, int64_t row) const {
  return bias.empty() ? 0 : bias[(direction * 2 + 1) * gates * hidden + row];
}
float Recurrence::withInput(int64_t direction, int64_t row, const float *x) const {
  const float *w = &weights[(direction * gates * hidden + row) * inputs];
  float acc = 0;
  for (int64_t k = 0; k < inputs; ++k)
    acc = std::fma(w[k], x[k], acc);
  return acc;
}
float Recurrence::withHidden(int64_t direction, int64_t row, const float *h, float acc) const {
  const float *w = &recurrence[(direction * gates * hidden + row) * hidden];
  for (int64_t k = 0; k < hidden; ++k)
    acc = std::fma(w[k], h[k], acc);
  return acc;
}

} // namespace tilerig::emulator
