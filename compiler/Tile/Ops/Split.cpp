#include "compiler/Tile/Ops/Split.h"

#include <fmt/core.h>
#include <numeric>

namespace tilerig::compiler {

int64_t Split::tiles() const {
  int64_t all = chain;
  for (const int64_t part : parts)
    all *= part;
  return all;
}

Range Split::rangeOf(size_t axis, int64_t part, int64_t size, int64_t groupSize) const {
  if (sizes.empty() || sizes[axis].empty())
    return partOf(size, parts[axis], part, groupSize);
  const std::span<const int64_t> its = sizes[axis];
  const int64_t begin = std::accumulate(its.begin(), its.begin() + part, int64_t{0});
  return {begin, begin + its[static_cast<size_t>(part)]};
}

Range partOf(int64_t size, int64_t parts, int64_t index, int64_t groupSize) {
  const auto cut = [](int64_t length, int64_t pieces, int64_t at) { return length * at / pieces; };
  const int64_t groups = size / groupSize;
  if (groupSize == 1 || parts <= groups)
    return {cut(groups, parts, index) * groupSize, cut(groups, parts, index + 1) * groupSize};
  const int64_t perGroup = parts / groups, group = index / perGroup, within = index % perGroup;
  return {group * groupSize + cut(groupSize, perGroup, within),
          group * groupSize + cut(groupSize, perGroup, within + 1)};
}

bool canHaveParts(int64_t size, int64_t parts, int64_t groupSize) {
  if (parts < 1 || parts > size)
    return false;
  const int64_t groups = size / groupSize;
  return groupSize == 1 || parts <= groups || parts % groups == 0;
}

std::vector<Box> boxesOf(const Split &split, const DeviceOp &deviceOp, std::span<const int64_t> shape,
                         unsigned tiles) {
  std::vector<Box> boxes = workedBoxesOf(split, deviceOp, shape, tiles);
  for (unsigned tile = 0; tile < tiles; ++tile)
    if (!split.endsChain(tile))
      boxes[tile] = Box(shape.size());
  return boxes;
}

std::vector<Box> workedBoxesOf(const Split &split, const DeviceOp &deviceOp, std::span<const int64_t> shape,
                               unsigned tiles) {
  std::vector<Box> boxes(tiles, Box(shape.size()));
  if (shape.empty())
    return boxes;
  const size_t last = shape.size() - 1;
  const int64_t band = split.band > 0 ? split.band : split.parts[last];
  const int64_t bandParts = split.tiles() / split.chain / split.parts[last] * band;
  for (int64_t number = 0; number < split.tiles(); ++number) {
    Box &box = boxes[split.tileOf(number)];
    const auto take = [&](size_t axis, int64_t part) {
      box[axis] = split.rangeOf(axis, part, shape[axis], deviceOp.groupSize[axis]);
    };
    const int64_t index = number / split.chain;
    int64_t rest = index % bandParts;
    take(last, index / bandParts * band + rest % band);
    rest /= band;
    for (size_t axis = last; axis-- > 0; rest /= split.parts[axis])
      take(axis, rest % split.parts[axis]);
  }
  return boxes;
}

Range depthOfTile(const Split &split, int64_t depth, unsigned tile) {
  return split.chain == 1 ? Range{} : partOf(depth, split.chain, split.placeInChain(tile), 1);
}

std::vector<Range> cutRange(Range range, int64_t parts, int64_t groupSize) {
  // If a range consists of several whole groups (of `groupSize` indices), it is split at group boundaries;
  // any other range may be split anywhere.
  const int64_t size = range.size(), group = size % groupSize == 0 && size > groupSize ? groupSize : 1;
  const int64_t groups = size / group;
  parts =
      parts <= groups ? std::max<int64_t>(1, parts) : std::min(size, (parts + groups - 1) / groups * groups);
  std::vector<Range> all;
  for (int64_t i = 0; i < parts; ++i) {
    const Range part = partOf(size, parts, i, group);
    all.push_back({range.begin + part.begin, range.begin + part.end});
  }
  return all;
}

std::vector<Box> stepsOf(const Box &box, std::span<const int64_t> steps, const DeviceOp &deviceOp) {
  std::vector<Box> all = {box};
  if (box.empty())
    return {};
  for (size_t axis = 0; axis < box.rank(); ++axis) {
    std::vector<Box> finer;
    for (const Box &coarse : all)
      for (const Range &part : cutRange(box[axis], steps[axis], deviceOp.groupSize[axis])) {
        finer.push_back(coarse);
        finer.back()[axis] = part;
      }
    all = std::move(finer);
  }
  return all;
}

void halveLast(std::vector<Box> &boxes, size_t axis, int64_t times, int64_t least) {
  for (; times > 0 && !boxes.empty() && boxes.back()[axis].size() >= 2 * least; --times) {
    Range &first = boxes.back()[axis];
    const int64_t half = (first.size() / 2 + least - 1) / least * least;
    Box rest = boxes.back();
    rest[axis].begin = first.end = first.begin + half;
    boxes.push_back(rest);
  }
}

namespace {

void extend(const DeviceOp &deviceOp, std::span<const int64_t> shape, int64_t tiles, Split &split,
            size_t axis, std::vector<Split> &all) {
  if (axis == shape.size()) {
    all.push_back(split);
    return;
  }
  for (int64_t parts = 1; parts <= tiles; ++parts) {
    if (parts > 1 && !deviceOp.divisible[axis])
      break;
    // An axis may be divided into numbers of parts that are powers of two, the axis length, the number of
    // tiles that remain, or divisors of that number; with other numbers, tiles would be idle.
    const bool isUsual =
        (parts & (parts - 1)) == 0 || parts == shape[axis] || parts == tiles || (tiles % parts == 0);
    if (!isUsual || !canHaveParts(shape[axis], parts, deviceOp.groupSize[axis]))
      continue;
    split.parts[axis] = parts;
    extend(deviceOp, shape, tiles / parts, split, axis + 1, all);
  }
  split.parts[axis] = 1;
}

// The reason why an axis cannot have parts of these sizes; empty if it can. Each part has to have whole
// groups (of `groupSize` indices) or lie within one.
std::string whyNotSizes(std::span<const int64_t> sizes, size_t axis, int64_t length, int64_t groupSize) {
  int64_t begin = 0;
  for (const int64_t size : sizes) {
    if (size < 1 || size > length - begin)
      return fmt::format("the sizes of parts along axis {} must be at least 1 and add up to {}", axis,
                         length);
    const bool hasWholeGroups = begin % groupSize == 0 && size % groupSize == 0;
    if (!hasWholeGroups && begin / groupSize != (begin + size - 1) / groupSize)
      return fmt::format(
          "a part along axis {} has indices {} to {}, but must consist of whole groups of {} indices or lie "
          "within one group",
          axis, begin, begin + size - 1, groupSize);
    begin += size;
  }
  return begin == length ? ""
                         : fmt::format("the sizes along axis {} add up to {}, but the axis has {} indices",
                                       axis, begin, length);
}

} // namespace

std::string whyNotParts(std::span<const int64_t> parts, std::span<const std::vector<int64_t>> sizes,
                        const DeviceOp &deviceOp, std::span<const int64_t> shape, unsigned tiles) {
  if (parts.size() != shape.size())
    return fmt::format("the layer's result has {} axes, but parts are given for {}", shape.size(),
                       parts.size());
  if (!sizes.empty() && sizes.size() != shape.size())
    return fmt::format("the layer's result has {} axes, but sizes of parts are given for {}", shape.size(),
                       sizes.size());
  int64_t all = 1;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const int64_t count = parts[axis];
    if (!sizes.empty() && !sizes[axis].empty() && std::ssize(sizes[axis]) != count)
      return fmt::format("there are {} sizes for the {} parts along axis {}", sizes[axis].size(), count,
                         axis);
    if (count > 1 && !deviceOp.divisible[axis])
      return fmt::format("the layer's result cannot be split along axis {}", axis);
    if (!canHaveParts(shape[axis], count, deviceOp.groupSize[axis]) && (sizes.empty() || sizes[axis].empty()))
      return fmt::format(
          "axis {} of the layer's result has {} indices{} and cannot be split into {} parts", axis,
          shape[axis],
          deviceOp.groupSize[axis] > 1 ? fmt::format(" in groups of {}", deviceOp.groupSize[axis]) : "",
          count);
    if (!sizes.empty() && !sizes[axis].empty())
      if (std::string why = whyNotSizes(sizes[axis], axis, shape[axis], deviceOp.groupSize[axis]);
          !why.empty())
        return why;
    // compares by division, because the product of the numbers of parts might overflow
    if (all > tiles / count)
      return fmt::format("the layer's result would have more parts than the {} tiles", tiles);
    all *= count;
  }
  return "";
}

std::vector<Split> possibleSplits(const DeviceOp &deviceOp, std::span<const int64_t> shape, unsigned tiles) {
  std::vector<Split> all;
  Split split{std::vector<int64_t>(shape.size(), 1)};
  extend(deviceOp, shape, tiles, split, 0, all);
  return all;
}

} // namespace tilerig::compiler
