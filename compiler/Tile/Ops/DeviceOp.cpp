#include "compiler/Tile/Ops/DeviceOp.h"

#include <numeric>

namespace tilerig::compiler {

namespace {

int64_t floorDivide(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

} // namespace

uint64_t bytesInRuns(const DeviceTensor &tensor, const Box &part, uint64_t least) {
  uint64_t run = sizeBytes(tensor.type);
  for (size_t axis = part.rank(); axis-- > 0;) {
    run *= static_cast<uint64_t>(part[axis].size());
    if (part[axis].size() != tensor.shape[axis])
      break;
  }
  const uint64_t bytes = part.elements() * sizeBytes(tensor.type);
  return bytes == 0 ? 0 : bytes / run * ((run + least - 1) / least * least);
}

Range neededRange(const AxisMap &map, Range result, int64_t size, Range depth) {
  if (map.from == AxisMap::whole)
    return map.isSummed && !depth.empty() ? depth : Range{0, size};
  const auto at = [&](int64_t index) {
    return floorDivide(floorDivide(index, map.grain) * map.numerator + map.offset, map.denominator);
  };
  const int64_t first = at(result.begin), last = at(result.end - 1);
  const int64_t low = std::min(first, last) + map.low, high = std::max(first, last) + map.high;
  if (map.isDrawn)
    return {std::clamp<int64_t>(low, 0, size - 1), std::clamp<int64_t>(high, 0, size - 1) + 1};
  return intersection(Range{low, high + 1}, {0, size});
}

Box neededBox(const Operand &operand, const DeviceTensor &tensor, const Box &result, Range depth) {
  Box needed(tensor.shape.size());
  if (result.empty()) // if the result is a scalar, its box of rank 0 is not empty
    return needed;
  for (size_t i = 0; i < tensor.shape.size(); ++i) {
    const AxisMap &map = operand.axes[i];
    needed[i] = neededRange(map, map.from == AxisMap::whole ? Range{} : result[static_cast<size_t>(map.from)],
                            tensor.shape[i], depth);
  }
  return needed;
}

std::vector<ReshapeGroup> groupsOfReshape(std::span<const int64_t> in, std::span<const int64_t> out) {
  std::vector<ReshapeGroup> groups;
  size_t i = 0, o = 0;
  while (i < in.size() || o < out.size()) {
    ReshapeGroup &group = groups.emplace_back();
    int64_t inSize = 1, outSize = 1;
    const auto takeIn = [&] { inSize *= in[group.in.emplace_back(i++)]; };
    const auto takeOut = [&] { outSize *= out[group.out.emplace_back(o++)]; };
    i < in.size() ? takeIn() : takeOut();
    while (inSize != outSize || (i == in.size()) != (o == out.size()))
      inSize < outSize || o == out.size() ? takeIn() : takeOut();
  }
  return groups;
}

ReshapeAxes axesOfReshape(std::span<const int64_t> in, std::span<const int64_t> out) {
  ReshapeAxes axes{std::vector<AxisMap>(in.size()), std::vector<bool>(out.size())};
  // Returns the first axis of a group of axes that is longer than 1, and how many elements of the group each
  // index of that axis contains.
  const auto rowsOf = [](std::span<const int64_t> shape, const std::vector<size_t> &group) {
    const auto first = std::ranges::find_if(group, [&](size_t axis) { return shape[axis] > 1; });
    int64_t elements = 1;
    for (auto axis = first; axis != group.end() && axis + 1 != group.end(); ++axis)
      elements *= shape[*(axis + 1)];
    return std::pair(first == group.end() ? std::nullopt : std::optional(*first), elements);
  };
  for (const ReshapeGroup &group : groupsOfReshape(in, out)) {
    const auto [inAxis, inRow] = rowsOf(in, group.in);
    const auto [outAxis, outRow] = rowsOf(out, group.out);
    if (!inAxis || !outAxis)
      continue;
    // Row i of the result begins at element i * outRow, and rows of the operand begin at multiples of inRow.
    // Both numbers are multiples of their greatest common divisor `common`. So a row of the result begins at
    // most inRow - common elements behind the begin of a row of the operand.
    const int64_t common = std::gcd(inRow, outRow);
    axes.maps[*inAxis] = {.from = static_cast<int>(*outAxis),
                          .numerator = outRow / common,
                          .denominator = inRow / common,
                          .high = (inRow - common + outRow - 1) / inRow};
    axes.divisible[*outAxis] = true;
  }
  return axes;
}

int64_t depthOf(const DeviceOp &deviceOp, const std::vector<DeviceTensor> &tensors) {
  const Operand &first = deviceOp.operands.front();
  for (size_t i = 0; i < first.axes.size(); ++i)
    if (first.axes[i].isSummed)
      return tensors[first.tensor].shape[i];
  return 0;
}

ElementType sumTypeOf(const DeviceOp &deviceOp, const std::vector<DeviceTensor> &tensors) {
  return isFloat(tensors[deviceOp.operands.front().tensor].type) ? ElementType::fp32 : ElementType::i32;
}

// Whether the instruction computes and rounds its results, instead of copying elements or looking up results
// in a table.
static bool roundsResults(const DeviceOp &deviceOp) {
  if (deviceOp.table.present())
    return false;
  switch (deviceOp.kind) {
  case DeviceOpKind::conv:
  case DeviceOpKind::matmul:
  case DeviceOpKind::softmax:
  case DeviceOpKind::normalize:
    return true;
  case DeviceOpKind::pool:
    return std::get<Pool>(deviceOp.action).function != PoolFunction::max;
  case DeviceOpKind::reduce: {
    const ReduceFunction function = std::get<Reduce>(deviceOp.action).function;
    return function == ReduceFunction::sum || function == ReduceFunction::mean;
  }
  case DeviceOpKind::resize:
    return std::get<Resize>(deviceOp.action).mode != ResizeMode::nearest;
  default:
    return std::holds_alternative<Binary>(deviceOp.action) ||
           std::holds_alternative<Select>(deviceOp.action) ||
           std::holds_alternative<Activate>(deviceOp.action);
  }
}

bool canGiveNineBits(const DeviceOp &deviceOp, const std::vector<DeviceTensor> &tensors) {
  const ElementType type = tensors[deviceOp.result].type;
  return (type == ElementType::i8 || type == ElementType::u8) && roundsResults(deviceOp);
}

bool canFlatten(const DeviceOp &deviceOp, const std::vector<DeviceTensor> &tensors) {
  if (deviceOp.kind != DeviceOpKind::conv || std::get<Conv>(deviceOp.action).groups != 1)
    return false;
  const bool isPadded = std::ranges::any_of(deviceOp.pads, [](int64_t pad) { return pad != 0; });
  return !isPadded || !isFloat(tensors[deviceOp.operands.front().tensor].type);
}

bool isComputable(const DeviceOp &deviceOp, const std::vector<DeviceTensor> &tensors, const Box &result) {
  const bool hasWindows = deviceOp.kind == DeviceOpKind::conv || deviceOp.kind == DeviceOpKind::pool;
  const Operand &image = deviceOp.operands.front();
  return !hasWindows || result.empty() || !neededBox(image, tensors[image.tensor], result).empty();
}

} // namespace tilerig::compiler
