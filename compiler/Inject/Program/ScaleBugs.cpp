// Scale bugs: scales are off by a factor, or are applied to the wrong outputs.
#include "compiler/Inject/Program/LayerOps.h"

#include <cmath>
#include <cstring>

namespace tilerig::compiler {

namespace {

constexpr size_t scaleBytes = sizeof(float);

Result<size_t> scaledOf(const LayerOps &layer) {
  const auto step =
      layer.find([](const DeviceOp &deviceOp) { return isProduct(deviceOp) && deviceOp.scale.present(); });
  if (!step)
    return hasNot("the layer has no scales for its sums");
  return *step;
}

// Whether the operation computes with the real values of its operands, so that their scales matter. An
// operation that only selects or copies integers does not use scales.
bool isArithmetic(const DeviceOp &deviceOp) {
  const auto *binary = std::get_if<Binary>(&deviceOp.action);
  return binary && binary->function <= BinaryFunction::div && binary->aAffine.scale > 0;
}

Status scaleByPower(const LayerOps &layer, BugDraw &draw) {
  if (const auto step = layer.find(isArithmetic)) {
    TILERIG_TRY(const int64_t power, draw.nonZero("power", -6, 6));
    float &scale = std::get<Binary>(layer.at(*step).action).aAffine.scale;
    scale = std::ldexp(scale, static_cast<int>(power));
    return success();
  }
  TILERIG_TRY(const size_t step, scaledOf(layer));
  TILERIG_TRY(const int64_t power, draw.nonZero("power", -6, 6));
  changeEach<float>(layer.at(step).scale.bytes,
                    [&](float scale) { return std::ldexp(scale, static_cast<int>(power)); });
  return success();
}

// Index of the layer's convolution or matrix product; an error if it does not have a scale for each output.
Result<size_t> scaledByOutput(const LayerOps &layer) {
  TILERIG_TRY(const size_t step, scaledOf(layer));
  const OpVector &scale = layer.at(step).scale;
  if (!scale.perOutput || scale.bytes.size() < 2 * scaleBytes)
    return hasNot("the layer has a single scale for all its outputs");
  return step;
}

Status shiftScales(const LayerOps &layer, BugDraw &draw) {
  TILERIG_TRY(const size_t step, scaledByOutput(layer));
  ByteRow &bytes = layer.at(step).scale.bytes;
  const size_t outputs = bytes.size() / scaleBytes;
  TILERIG_TRY(const int64_t by, draw.number("by", 1, static_cast<int64_t>(outputs) - 1));
  bytes = rowsFrom(bytes, scaleBytes,
                   [&](size_t output) { return (output + static_cast<size_t>(by)) % outputs; });
  return success();
}

Status broadcastScale(const LayerOps &layer, BugDraw &) {
  TILERIG_TRY(const size_t step, scaledByOutput(layer));
  ByteRow &bytes = layer.at(step).scale.bytes;
  bytes = rowsFrom(bytes, scaleBytes, [](size_t) { return size_t{0}; });
  return success();
}

constexpr OpBug bugsOfScale[] = {
    {"scale-power", scaleByPower},
    {"scale-shifted", shiftScales},
    {"scale-broadcast", broadcastScale},
};

} // namespace

std::span<const OpBug> scaleBugs() { return bugsOfScale; }

} // namespace tilerig::compiler
