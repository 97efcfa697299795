// Instructions of elementwise operations and of operations that only move elements (reshape, concat, pad,
// gather).
#include "compiler/Tile/Ops/Families.h"
#include "compiler/Tile/Ops/Walk.h"

#include <optional>

namespace tilerig::compiler {

namespace {

// The distance in bytes between the elements of an operand that belong to neighbouring indices of the result
// along an axis.
uint64_t strideAlong(const StepWriting &step, size_t operand, size_t axis) {
  const std::vector<AxisMap> &maps = step.deviceOp.operands[operand].axes;
  uint64_t stride = 0;
  for (size_t i = 0; i < maps.size(); ++i)
    if (maps[i].from == static_cast<int>(axis) && step.operandTensor(operand).shape[i] > 1)
      stride += static_cast<uint64_t>(maps[i].numerator) * step.places.from[operand].strideOf(i);
  return stride;
}

Walk walkOf(const StepWriting &step, std::span<const size_t> order) {
  std::vector<View> views = {step.places.to.at(step.places.result)};
  for (size_t i = 0; i < step.deviceOp.operands.size(); ++i)
    views.push_back(step.places.from[i].at(step.needed(i)));
  Walk walk(std::move(views));
  for (const size_t axis : order) {
    std::vector<uint64_t> strides = {step.places.to.strideOf(axis)};
    for (size_t i = 0; i < step.deviceOp.operands.size(); ++i)
      strides.push_back(strideAlong(step, i, axis));
    walk.addAxis(static_cast<uint64_t>(step.places.result[axis].size()), std::move(strides));
  }
  return walk;
}

// Returns the instruction `action` with streams set: first the stream of the result, then those of the
// operands.
Instruction withStreams(const Instruction &action, const std::vector<Stream> &streams, uint64_t table) {
  return std::visit(
      [&](auto instruction) -> Instruction {
        using T = decltype(instruction);
        if constexpr (std::is_same_v<T, Binary>) {
          instruction.output = streams[0], instruction.a = streams[1], instruction.b = streams[2];
        } else if constexpr (std::is_same_v<T, Select>) {
          instruction.output = streams[0], instruction.condition = streams[1], instruction.a = streams[2],
          instruction.b = streams[3];
        } else if constexpr (std::is_same_v<T, Activate> || std::is_same_v<T, Copy>) {
          instruction.output = streams[0], instruction.input = streams[1];
        } else if constexpr (std::is_same_v<T, Lookup>) {
          instruction.output = streams[0], instruction.input = streams[1];
          instruction.table = {.present = true, .broadcast = false, .base = table};
        }
        return instruction;
      },
      action);
}

void addAll(StepWriting &step, const Walk &walk) {
  walk.forEach([&](const std::vector<Stream> &streams) {
    std::visit([&](auto instruction) { step.add(instruction); },
               withStreams(step.deviceOp.action, streams, step.places.table));
  });
}

// Copies the box `from` of an operand to the box `to` of the result. `steps` states, for each axis, how many
// elements apart the copied elements lie in the result; empty: 1.
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
    step.add(Fill{.value = step.deviceOp.fillBits, .output = streams[0]});
  });
}

Box shifted(Box box, size_t axis, int64_t by) {
  box[axis].begin += by;
  box[axis].end += by;
  return box;
}

// A run of `size` elements along a group of axes, at a constant stride in the source (`from`) and in the
// target (`to`). `fromBegin` and `toBegin`: offsets of its first element from the start of the source part
// and of the target part. Strides and offsets are in bytes.
struct Run {
  uint64_t size = 1, to = 0, from = 0;
  uint64_t toBegin = 0, fromBegin = 0;
};

// Byte offset of an element from the first element of `part`, along the axes of `group`. `element`: row-major
// index of the element among all elements of the tensor along these axes.
uint64_t placeOf(int64_t element, const std::vector<size_t> &group, const std::vector<int64_t> &shape,
                 const Box &part, const View &view) {
  uint64_t place = 0;
  for (auto axis = group.rbegin(); axis != group.rend(); element /= shape[*axis++])
    place += static_cast<uint64_t>(element % shape[*axis] - part[*axis].begin) * view.strideOf(*axis);
  return place;
}

int64_t firstOf(const std::vector<size_t> &group, const Box &part, const std::vector<int64_t> &shape) {
  int64_t element = 0;
  for (const size_t axis : group)
    element = element * shape[axis] + part[axis].begin;
  return element;
}

// The constant stride in bytes between all consecutive elements of a group of axes; empty if the elements are
// not evenly spaced. Axes of size 1 are ignored.
std::optional<uint64_t> distanceIn(const std::vector<size_t> &group, const std::vector<int64_t> &shape,
                                   const View &view) {
  std::optional<uint64_t> least; // stride of the group's innermost axis
  std::optional<uint64_t> next;  // stride that the next axis must have, if elements are evenly spaced
  for (auto axis = group.rbegin(); axis != group.rend(); ++axis) {
    if (shape[*axis] == 1)
      continue;
    const uint64_t stride = view.strideOf(*axis);
    if (next && stride != *next)
      return {};
    least = least.value_or(stride);
    next = stride * static_cast<uint64_t>(shape[*axis]);
  }
  return least.value_or(0);
}

// Divides the elements of a group of axes into runs of constant stride. Several runs are needed if source or
// target is a part of a larger tensor, whose other elements lie in between.
std::vector<Run> runsOf(const ReshapeGroup &group, const StepWriting &step, const Box &needed) {
  const Box &resultBox = step.places.result;
  const std::vector<int64_t> &in = step.operandTensor(0).shape,
                             &out = step.tensors[step.deviceOp.result].shape;
  if (group.in.empty() || group.out.empty()) // a single element
    return {Run()};
  int64_t count = 1;
  for (const size_t axis : group.out)
    count *= resultBox[axis].size();
  const int64_t first = firstOf(group.out, resultBox, out);
  const auto toDistance = distanceIn(group.out, out, step.places.to),
             fromDistance = distanceIn(group.in, in, step.places.from[0]);
  if (toDistance && fromDistance)
    return {{static_cast<uint64_t>(count), *toDistance, *fromDistance,
             placeOf(first, group.out, out, resultBox, step.places.to),
             placeOf(first, group.in, in, needed, step.places.from[0])}};
  std::vector<Run> runs;
  uint64_t lastTo = 0, lastFrom = 0;
  for (int64_t element = first; element < first + count; ++element) {
    const uint64_t to = placeOf(element, group.out, out, resultBox, step.places.to),
                   from = placeOf(element, group.in, in, needed, step.places.from[0]);
    Run *run = runs.empty() ? nullptr : &runs.back();
    if (run && run->size == 1)
      run->to = to - lastTo, run->from = from - lastFrom;
    if (run && to - lastTo == run->to && from - lastFrom == run->from)
      ++run->size;
    else
      runs.push_back({.toBegin = to, .fromBegin = from});
    lastTo = to, lastFrom = from;
  }
  return runs;
}

} // namespace

void writePointwise(StepWriting &step) {
  std::vector<size_t> order(step.places.result.rank());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  // A stream (address generator) cannot run backwards. So if an operand has a negative stride along an axis,
  // each index along the axis gets an instruction of its own.
  for (size_t operand = 0; operand < step.deviceOp.operands.size(); ++operand)
    for (const AxisMap &map : step.deviceOp.operands[operand].axes)
      if (map.from != AxisMap::whole && map.numerator < 0 &&
          step.places.result[static_cast<size_t>(map.from)].size() > 1) {
        StepPlaces one = step.places;
        Range &range = one.result[static_cast<size_t>(map.from)];
        for (const Range all = range; Range{range.begin, all.end}.size() > 0; ++range.begin) {
          range.end = range.begin + 1;
          StepWriting part{step.deviceOp, step.tensors, one, {}};
          writePointwise(part);
          for (Instruction &instruction : part.instructions)
            step.instructions.push_back(std::move(instruction));
        }
        return;
      }
  addAll(step, walkOf(step, order));
}

// Copies the elements of a reshape. A group of input axes and the group of result axes that holds the same
// elements are walked as one axis, in runs of constant stride. Only the first axis of a group may be divided
// among the steps of the operation; the other axes are whole in every step.
void writeReshape(StepWriting &step) {
  const Box needed = step.needed(0);
  const View to = step.places.to.at(step.places.result), from = step.places.from[0].at(needed);
  std::vector<std::vector<Run>> groups;
  for (const ReshapeGroup &group :
       groupsOfReshape(step.operandTensor(0).shape, step.tensors[step.deviceOp.result].shape))
    groups.push_back(runsOf(group, step, needed));
  // for each group of axes, the index of its next run of elements to copy
  std::vector<size_t> chosen(groups.size());
  for (bool isDone = false; !isDone;) {
    View runTo = to, runFrom = from;
    for (size_t i = 0; i < groups.size(); ++i) {
      runTo.address += groups[i][chosen[i]].toBegin;
      runFrom.address += groups[i][chosen[i]].fromBegin;
    }
    Walk walk({runTo, runFrom});
    for (size_t i = 0; i < groups.size(); ++i)
      walk.addAxis(groups[i][chosen[i]].size, {groups[i][chosen[i]].to, groups[i][chosen[i]].from});
    addAll(step, walk);
    isDone = true;
    for (size_t i = groups.size(); i-- > 0 && isDone;)
      if (++chosen[i] == groups[i].size())
        chosen[i] = 0;
      else
        isDone = false;
  }
}

void writeConcat(StepWriting &step) {
  const auto axis = static_cast<size_t>(step.deviceOp.axes[0]);
  for (size_t i = 0; i < step.deviceOp.operands.size(); ++i) {
    if (i < step.places.isInPlace.size() && step.places.isInPlace[i])
      continue;
    const Box from = step.needed(i);
    copyPart(step, i, from, shifted(from, axis, step.deviceOp.offsets[i]));
  }
}

void writePad(StepWriting &step) {
  fillResult(step);
  const Box from = step.needed(0);
  Box to = from;
  for (size_t axis = 0; axis < to.rank(); ++axis)
    to = shifted(to, axis, step.deviceOp.offsets[axis]);
  copyPart(step, 0, from, to);
}

void writeDilate(StepWriting &step) {
  fillResult(step);
  Box from = step.needed(0), to = from;
  for (size_t axis = 0; axis < from.rank(); ++axis) {
    const int64_t by = step.deviceOp.offsets[axis];
    const Range wanted = step.places.result[axis];
    from[axis] = {(wanted.begin + by - 1) / by, (wanted.end - 1) / by + 1};
    if (from[axis].empty())
      return;
    to[axis] = {from[axis].begin * by, (from[axis].end - 1) * by + 1};
  }
  copyPart(step, 0, from, to, step.deviceOp.offsets);
}

// Gathers rows along one axis of the table. The axes behind that axis use two dimensions of the stream. Every
// index of the axes in front of it needs an instruction of its own, because the rows are the outermost
// dimension of a gather instruction.
void writeGather(StepWriting &step) {
  const auto axis = static_cast<size_t>(step.deviceOp.axes[0]);
  const size_t numIndices = static_cast<size_t>(step.deviceOp.offsets[0]);
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

} // namespace tilerig::compiler
