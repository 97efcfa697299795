// Element by element, and elements that move.
#include "compiler/Codegen/Families.h"
#include "compiler/Codegen/Walk.h"

#include <algorithm>

namespace tilerig {

namespace {

// By how many bytes an operand steps where the result goes one further along an axis.
uint64_t strideAlong(const StepWriting &step, size_t operand, size_t axis) {
  const std::vector<AxisMap> &maps = step.work.operands[operand].axes;
  uint64_t stride = 0;
  for (size_t i = 0; i < maps.size(); ++i)
    if (maps[i].from == static_cast<int>(axis) && step.operandTensor(operand).shape[i] > 1)
      stride += static_cast<uint64_t>(maps[i].numerator) * step.places.from[operand].strideOf(i);
  return stride;
}

Walk walkOf(const StepWriting &step, std::span<const size_t> order) {
  std::vector<View> views = {step.places.to.at(step.places.result)};
  for (size_t i = 0; i < step.work.operands.size(); ++i)
    views.push_back(step.places.from[i].at(step.needed(i)));
  Walk walk(std::move(views));
  for (const size_t axis : order) {
    std::vector<uint64_t> strides = {step.places.to.strideOf(axis)};
    for (size_t i = 0; i < step.work.operands.size(); ++i)
      strides.push_back(strideAlong(step, i, axis));
    walk.addAxis(static_cast<uint64_t>(step.places.result[axis].size()), std::move(strides));
  }
  return walk;
}

// The action with its streams: the result's first, then the operands'.
Instruction withStreams(const Instruction &action, const std::vector<Stream> &streams, uint64_t table) {
  return std::visit(
      [&](auto it) -> Instruction {
        using T = decltype(it);
        if constexpr (std::is_same_v<T, Binary>) {
          it.output = streams[0], it.a = streams[1], it.b = streams[2];
        } else if constexpr (std::is_same_v<T, Select>) {
          it.output = streams[0], it.condition = streams[1], it.a = streams[2], it.b = streams[3];
        } else if constexpr (std::is_same_v<T, Activate> || std::is_same_v<T, Copy>) {
          it.output = streams[0], it.input = streams[1];
        } else if constexpr (std::is_same_v<T, Lookup>) {
          it.output = streams[0], it.input = streams[1];
          it.table = {.present = true, .broadcast = false, .base = table};
        }
        return it;
      },
      action);
}

void addAll(StepWriting &step, const Walk &walk) {
  walk.forEach([&](const std::vector<Stream> &streams) {
    std::visit([&](auto it) { step.add(it); }, withStreams(step.work.action, streams, step.places.table));
  });
}

// Copies a part of an operand to a part of the result that has its sizes; the result steps by so much.
void copyPart(StepWriting &step, size_t operand, const Box &from, const Box &to,
              std::span<const int64_t> steps = {}) {
  if (from.empty())
    return;
  Walk walk({step.places.to.at(to), step.places.from[operand].at(from)});
  for (size_t axis = 0; axis < from.rank(); ++axis)
    walk.addAxis(static_cast<uint64_t>(from[axis].size()),
                 {step.places.to.strideOf(axis) * static_cast<uint64_t>(steps.empty() ? 1 : steps[axis]),
                  step.places.from[operand].strideOf(axis)});
  walk.forEach(
      [&](const std::vector<Stream> &streams) { step.add(Copy{.input = streams[1], .output = streams[0]}); });
}

void fillResult(StepWriting &step) {
  Walk walk({step.places.to.at(step.places.result)});
  for (size_t axis = 0; axis < step.places.result.rank(); ++axis)
    walk.addAxis(static_cast<uint64_t>(step.places.result[axis].size()), {step.places.to.strideOf(axis)});
  walk.forEach([&](const std::vector<Stream> &streams) {
    step.add(Fill{.value = step.work.fillBits, .output = streams[0]});
  });
}

Box shifted(Box box, size_t axis, int64_t by) {
  box[axis].begin += by;
  box[axis].end += by;
  return box;
}

// The axis along which a group's elements follow each other. One of a single element is none: around it there
// may be others, where the tensor lies inside another one.
size_t innermost(const std::vector<size_t> &group, const std::vector<int64_t> &shape) {
  const auto found = std::find_if(group.rbegin(), group.rend(), [&](size_t axis) { return shape[axis] > 1; });
  return found == group.rend() ? group.back() : *found;
}

} // namespace

void writePointwise(StepWriting &step) {
  std::vector<size_t> order(step.places.result.rank());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  // Backwards along an axis: an instruction for each index, since streams only go forward.
  for (size_t operand = 0; operand < step.work.operands.size(); ++operand)
    for (const AxisMap &map : step.work.operands[operand].axes)
      if (map.from != AxisMap::whole && map.numerator < 0 &&
          step.places.result[static_cast<size_t>(map.from)].size() > 1) {
        StepPlaces one = step.places;
        Range &range = one.result[static_cast<size_t>(map.from)];
        for (const Range all = range; Range{range.begin, all.end}.size() > 0; ++range.begin) {
          range.end = range.begin + 1;
          StepWriting part{step.work, step.tensors, one, {}};
          writePointwise(part);
          for (Instruction &it : part.instructions)
            step.instructions.push_back(std::move(it));
        }
        return;
      }
  addAll(step, walkOf(step, order));
}

// Groups of axes that hold the same elements on both sides are walked as one axis each: what is behind the
// first axis of a group is there whole. Of rows that hold elements of other parts, the walk begins behind
// these.
void writeReshape(StepWriting &step) {
  const std::vector<int64_t> &in = step.operandTensor(0).shape, &out = step.tensors[step.work.result].shape;
  const Box needed = step.needed(0), &made = step.places.result;
  View from = step.places.from[0].at(needed);
  const auto firstOf = [](const std::vector<size_t> &group, const Box &part,
                          const std::vector<int64_t> &shape) {
    int64_t element = 0;
    for (const size_t axis : group)
      element = element * shape[axis] + part[axis].begin;
    return element;
  };
  struct Axis {
    uint64_t size = 1, to = 0, from = 0;
  };
  std::vector<Axis> axes;
  for (const ReshapeGroup &group : groupsOfReshape(in, out)) {
    Axis &axis = axes.emplace_back();
    for (const size_t i : group.out)
      axis.size *= static_cast<uint64_t>(made[i].size());
    if (group.in.empty() || group.out.empty()) // of one element
      continue;
    axis.to = step.places.to.strideOf(innermost(group.out, out));
    axis.from = step.places.from[0].strideOf(innermost(group.in, in));
    from.address +=
        static_cast<uint64_t>(firstOf(group.out, made, out) - firstOf(group.in, needed, in)) * axis.from;
  }
  Walk walk({step.places.to.at(made), from});
  for (const Axis &axis : axes)
    walk.addAxis(axis.size, {axis.to, axis.from});
  addAll(step, walk);
}

void writeConcat(StepWriting &step) {
  const auto axis = static_cast<size_t>(step.work.axes[0]);
  for (size_t i = 0; i < step.work.operands.size(); ++i) {
    if (i < step.places.isInPlace.size() && step.places.isInPlace[i])
      continue;
    const Box from = step.needed(i);
    copyPart(step, i, from, shifted(from, axis, step.work.offsets[i]));
  }
}

void writePad(StepWriting &step) {
  fillResult(step);
  const Box from = step.needed(0);
  Box to = from;
  for (size_t axis = 0; axis < to.rank(); ++axis)
    to = shifted(to, axis, step.work.offsets[axis]);
  copyPart(step, 0, from, to);
}

void writeDilate(StepWriting &step) {
  fillResult(step);
  Box from = step.needed(0), to = from;
  for (size_t axis = 0; axis < from.rank(); ++axis) {
    const int64_t by = step.work.offsets[axis];
    const Range wanted = step.places.result[axis];
    from[axis] = {(wanted.begin + by - 1) / by, (wanted.end - 1) / by + 1};
    if (from[axis].empty())
      return;
    to[axis] = {from[axis].begin * by, (from[axis].end - 1) * by + 1};
  }
  copyPart(step, 0, from, to, step.work.offsets);
}

// Rows along one axis of the table. What is behind it are two axes of the stream; what is in front of it
// takes an instruction each, since rows are written with nothing but what is behind them inside.
void writeGather(StepWriting &step) {
  const auto axis = static_cast<size_t>(step.work.axes[0]);
  const size_t numIndices = static_cast<size_t>(step.work.offsets[0]);
  const Box table = step.needed(0), indices = step.needed(1), &result = step.places.result;
  const View from = step.places.from[0].at(table), to = step.places.to.at(result);
  Gather gather;
  gather.indices = {
      .space = Space::ocm, .type = ElementType::i32, .base = step.places.from[1].addressOf(indices)};
  gather.indices.dims.fill({1, 0});
  gather.indices.dims[4] = dimension(indices.elements(), sizeBytes(ElementType::i32));
  const auto writeRows = [&](const std::vector<Stream> &streams) {
    gather.source = streams[0];
    gather.destination = streams[1];
    gather.source.dims[2] = dimension(static_cast<uint64_t>(table[axis].size()), from.strideOf(axis));
    gather.destination.dims[2] =
        dimension(indices.elements(), numIndices > 0 ? to.strideOf(axis + numIndices - 1) : 0);
    step.add(gather);
  };
  Walk front({from, to});
  for (size_t i = 0; i < axis; ++i)
    front.addAxis(static_cast<uint64_t>(table[i].size()), {from.strideOf(i), to.strideOf(i)});
  front.forEach(
      [&](const std::vector<Stream> &streams) {
        View rows = from, places = to;
        rows.address = streams[0].base;
        places.address = streams[1].base;
        Walk behind({rows, places});
        for (size_t i = axis + 1; i < table.rank(); ++i)
          behind.addAxis(static_cast<uint64_t>(table[i].size()),
                         {from.strideOf(i), to.strideOf(i + numIndices - 1)});
        behind.forEach(writeRows, 2);
      },
      0);
}

} // namespace tilerig
