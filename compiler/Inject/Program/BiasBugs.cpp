// Bias bugs: biases are missing, or are added to the wrong outputs.
#include "compiler/Inject/Program/LayerOps.h"

#include <cmath>
#include <cstring>

namespace tilerig::compiler {

namespace {

constexpr size_t biasBytes = 4;

// A convolution or matrix product with a bias: the index of its device operation in network.steps, and the
// number of its outputs.
struct Biased {
  size_t step = 0;
  size_t outputs = 0;
};
Result<Biased> biasedOf(const LayerOps &layer) {
  const auto step =
      layer.find([](const DeviceOp &deviceOp) { return isProduct(deviceOp) && deviceOp.bias.present(); });
  if (!step)
    return hasNot("the layer has no bias");
  return Biased{*step, layer.at(*step).bias.bytes.size() / biasBytes};
}

Status removeBias(const LayerOps &layer, BugDraw &) {
  TILERIG_TRY(const Biased biased, biasedOf(layer));
  layer.at(biased.step).bias = {};
  return success();
}

Status shiftBias(const LayerOps &layer, BugDraw &draw) {
  TILERIG_TRY(const Biased biased, biasedOf(layer));
  TILERIG_TRY(const int64_t by, draw.number("by", 1, static_cast<int64_t>(biased.outputs) - 1));
  ByteRow &bytes = layer.at(biased.step).bias.bytes;
  bytes = rowsFrom(bytes, biasBytes,
                   [&](size_t output) { return (output + static_cast<size_t>(by)) % biased.outputs; });
  return success();
}

Status keepBiasBefore(const LayerOps &layer, BugDraw &) {
  TILERIG_TRY(const Biased biased, biasedOf(layer));
  DeviceOp &deviceOp = layer.at(biased.step);
  const ElementType type = sumTypeOf(deviceOp, layer.network.tensors);
  const DeviceOp *before = layer.before(biased.step, [&](const DeviceOp &other) {
    return isProduct(other) && other.bias.present() && sumTypeOf(other, layer.network.tensors) == type;
  });
  if (!before)
    return hasNot("no earlier layer has a bias of the same type");
  const size_t others = before->bias.bytes.size() / biasBytes;
  ByteRow stale(deviceOp.bias.bytes.size());
  for (size_t output = 0; output < biased.outputs; ++output)
    std::memcpy(stale.data() + output * biasBytes, before->bias.bytes.data() + output % others * biasBytes,
                biasBytes);
  deviceOp.bias.bytes = std::move(stale);
  return success();
}

Status scaleBias(const LayerOps &layer, BugDraw &draw) {
  TILERIG_TRY(const Biased biased, biasedOf(layer));
  TILERIG_TRY(const int64_t power, draw.nonZero("power", -6, 6));
  ByteRow &bytes = layer.at(biased.step).bias.bytes;
  if (isFloat(sumTypeOf(layer.at(biased.step), layer.network.tensors))) {
    changeEach<float>(bytes, [&](float bias) { return std::ldexp(bias, static_cast<int>(power)); });
    return success();
  }
  bool fits = true;
  const auto scaled = [&](int32_t bias) {
    const int64_t wide = power > 0 ? int64_t{bias} * (1 << power) : int64_t{bias} >> -power;
    fits &= wide >= INT32_MIN && wide <= INT32_MAX;
    return static_cast<int32_t>(wide);
  };
  ByteRow changed = bytes;
  changeEach<int32_t>(changed, scaled);
  if (!fits)
    return hasNot("the scaled biases would not fit into 32 bits");
  bytes = std::move(changed);
  return success();
}

Status broadcastBias(const LayerOps &layer, BugDraw &) {
  TILERIG_TRY(const Biased biased, biasedOf(layer));
  if (biased.outputs < 2)
    return hasNot("the layer has a bias for one output only");
  ByteRow &bytes = layer.at(biased.step).bias.bytes;
  bytes = rowsFrom(bytes, biasBytes, [](size_t) { return size_t{0}; });
  return success();
}

Status shortenBias(const LayerOps &layer, BugDraw &draw) {
  TILERIG_TRY(const Biased biased, biasedOf(layer));
  TILERIG_TRY(const int64_t missing, draw.number("outputs", 1, static_cast<int64_t>(biased.outputs) - 1));
  ByteRow &bytes = layer.at(biased.step).bias.bytes;
  std::fill(bytes.end() - missing * static_cast<int64_t>(biasBytes), bytes.end(), std::byte{});
  return success();
}

constexpr OpBug bugsOfBias[] = {
    {"bias-missing", removeBias}, {"bias-shifted", shiftBias},       {"bias-stale", keepBiasBefore},
    {"bias-scale", scaleBias},    {"bias-broadcast", broadcastBias}, {"bias-short", shortenBias},
};

} // namespace

std::span<const OpBug> biasBugs() { return bugsOfBias; }

} // namespace tilerig::compiler
