// Padding bugs: padding at a wrong place or with a wrong value.
#include "compiler/Inject/Program/LayerOps.h"
#include "isa/Numerics/Bf16.h"
#include "isa/Numerics/Fp16.h"

#include <bit>

namespace tilerig::compiler {

namespace {

bool hasWindows(const DeviceOp &deviceOp) {
  return deviceOp.kind == DeviceOpKind::conv || deviceOp.kind == DeviceOpKind::pool;
}

// Whether every window along an axis contains at least one element of the image, and not only padding.
// `results` is the number of windows, `map` maps the index of a window to positions in the image, and `size`
// is the size of the image along the axis.
bool seesImage(const AxisMap &map, int64_t results, int64_t size) {
  for (int64_t i = 0; i < results; ++i)
    if (neededRange(map, {i, i + 1}, size).empty())
      return false;
  return true;
}

Status movePadding(const LayerOps &layer, BugDraw &draw) {
  const auto step = layer.find(hasWindows);
  if (!step)
    return hasNot("the layer has no windows");
  DeviceOp &deviceOp = layer.at(*step);
  const auto isPadded = [&](size_t axis) { return deviceOp.pads[axis] + deviceOp.pads[axis + 2] > 0; };
  TILERIG_TRY(const std::string_view word, draw.word("axis", [&](std::string_view candidate) {
    return isPadded(candidate == "rows" ? 0 : 1);
  }));
  const size_t axis = word == "rows" ? 0 : 1;
  TILERIG_TRY(const int64_t amount, draw.nonZero("amount", -deviceOp.pads[axis + 2], deviceOp.pads[axis]));
  AxisMap map = deviceOp.operands[0].axes[axis + 1];
  map.offset += amount;
  if (!seesImage(map, layer.tensor(deviceOp.result).shape[axis + 1],
                 layer.tensor(deviceOp.operands[0].tensor).shape[axis + 1]))
    return hasNot("a window would contain only padding");
  deviceOp.operands[0].axes[axis + 1] = map;
  deviceOp.pads[axis] -= amount;
  deviceOp.pads[axis + 2] += amount;
  return success();
}

// Draws a wrong padding value: for 8-bit types the zero point plus a nonzero offset, for floats a nonzero
// whole number.
Result<uint32_t> drawFill(const DeviceTensor &tensor, BugDraw &draw) {
  constexpr int64_t mostOfFloats = 8;
  if (isEightBits(tensor.type)) {
    const TypeBounds bounds = boundsOf(tensor.type);
    TILERIG_TRY(const int64_t value, draw.nonZero("value", bounds.low - tensor.affine.zeroPoint,
                                                  bounds.high - tensor.affine.zeroPoint));
    return static_cast<uint8_t>(tensor.affine.zeroPoint + value);
  }
  TILERIG_TRY(const int64_t value, draw.nonZero("value", -mostOfFloats, mostOfFloats));
  const auto real = static_cast<float>(value);
  switch (tensor.type) {
  case ElementType::fp16:
    return std::bit_cast<uint16_t>(fp16FromFloat(real));
  case ElementType::bf16:
    return std::bit_cast<uint16_t>(bf16FromFloat(real));
  case ElementType::fp32:
    return std::bit_cast<uint32_t>(real);
  default:
    return hasNot("the input of the layer is neither quantised nor a float");
  }
}

// Inserts a separate padding operation in front of a windowed operation and removes the padding of the
// windowed operation.
void layOutPadding(const LayerOps &layer, size_t step, uint32_t fill) {
  const DeviceOp deviceOp = layer.at(step);
  const TensorIndex image = deviceOp.operands[0].tensor;
  DeviceTensor padded = layer.tensor(image);
  padded.name.clear();
  padded.modelAxes.clear();
  padded.bytes = nullptr;
  padded.layer = layer.layer;
  padded.shape[1] += deviceOp.pads[0] + deviceOp.pads[2];
  padded.shape[2] += deviceOp.pads[1] + deviceOp.pads[3];
  DeviceOp pad;
  pad.kind = DeviceOpKind::pad;
  pad.result = layer.addTensor(std::move(padded));
  pad.divisible.assign(4, true);
  pad.groupSize.assign(4, 1);
  pad.offsets = {0, deviceOp.pads[0], deviceOp.pads[1], 0};
  pad.fillBits = fill;
  pad.layer = layer.layer;
  Operand from{.tensor = image, .axes = {}};
  for (int axis = 0; axis < 4; ++axis)
    from.axes.push_back(AxisMap::strided(axis, -pad.offsets[static_cast<size_t>(axis)], 1));
  pad.operands = {std::move(from)};
  DeviceOp &bare = layer.at(step);
  bare.operands[0].tensor = pad.result;
  bare.operands[0].axes[1].offset = bare.operands[0].axes[2].offset = 0;
  bare.pads = {};
  layer.insert(step, std::move(pad));
}

Status fillPadding(const LayerOps &layer, BugDraw &draw) {
  if (const auto step =
          layer.find([](const DeviceOp &deviceOp) { return deviceOp.kind == DeviceOpKind::pad; })) {
    TILERIG_TRY(const uint32_t fill, drawFill(layer.tensor(layer.at(*step).result), draw));
    if (fill == layer.at(*step).fillBits)
      return hasNot("the padding already has this value");
    layer.at(*step).fillBits = fill;
    return success();
  }
  const auto step = layer.find([](const DeviceOp &deviceOp) {
    return hasWindows(deviceOp) && std::ranges::any_of(deviceOp.pads, [](int64_t pad) { return pad > 0; });
  });
  if (!step)
    return hasNot("the layer has no padding");
  TILERIG_TRY(const uint32_t fill, drawFill(layer.tensor(layer.at(*step).operands[0].tensor), draw));
  layOutPadding(layer, *step, fill);
  return success();
}

constexpr OpBug bugsOfPadding[] = {{"pad-side", movePadding}, {"pad-value", fillPadding}};

} // namespace

std::span<const OpBug> paddingBugs() { return bugsOfPadding; }

} // namespace tilerig::compiler
