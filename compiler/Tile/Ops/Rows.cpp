// Instructions for reductions, softmax and normalisation: layers whose results depend on whole rows.
#include "compiler/Tile/Ops/Families.h"
#include "compiler/Tile/Ops/Walk.h"

namespace tilerig::compiler {

namespace {

// Stride in bytes of an operand along an axis of the result; 0 where the operand broadcasts.
uint64_t broadcastStride(const StepWriting &step, size_t operand, size_t axis) {
  const std::vector<AxisMap> &maps = step.deviceOp.operands[operand].axes;
  for (size_t i = 0; i < maps.size(); ++i)
    if (maps[i].from == static_cast<int>(axis) && step.operandTensor(operand).shape[i] > 1)
      return step.places.from[operand].strideOf(i);
  return 0;
}

// The memory to which instructions such as softmax write their result row by row: either its final memory, or
// scratch memory with the row axes innermost. In the second case copyFromScratch() copies the result to its
// final memory.
struct RowResult {
  View view;
  std::vector<uint64_t> strides; // stride of the result in bytes along each of its axes
  bool isScratch = false;
};
RowResult rowResult(const StepWriting &step, std::span<const size_t> order) {
  RowResult to{step.places.to.at(step.places.result), std::vector<uint64_t>(order.size()), false};
  to.isScratch = !std::ranges::is_sorted(order);
  uint64_t stride = sizeBytes(step.places.to.type);
  for (size_t i = order.size(); i-- > 0;) {
    to.strides[order[i]] = to.isScratch ? stride : step.places.to.strideOf(order[i]);
    stride *= static_cast<uint64_t>(step.places.result[order[i]].size());
  }
  if (to.isScratch)
    to.view.address = step.places.scratch;
  return to;
}

void copyFromScratch(StepWriting &step, const RowResult &from) {
  if (!from.isScratch)
    return;
  Walk walk({step.places.to.at(step.places.result), from.view});
  for (size_t axis = 0; axis < step.places.result.rank(); ++axis)
    walk.addAxis(static_cast<uint64_t>(step.places.result[axis].size()),
                 {step.places.to.strideOf(axis), from.strides[axis]});
  walk.forEach(
      [&](const std::vector<Stream> &streams) { step.add(Copy{.input = streams[1], .output = streams[0]}); });
}

} // namespace

// Generates the instructions of a reduction. Neighbouring axes that are both reduced or both not reduced are
// merged. If more than five remain, axes that are not reduced are unrolled into several instructions.
void writeReduce(StepWriting &step) {
  struct Axis {
    uint64_t size, from, to;
    bool isReduced;
  };
  const Box input = step.needed(0), &result = step.places.result;
  const View from = step.places.from[0].at(input), to = step.places.to.at(result);
  std::vector<Axis> axes;
  for (size_t i = 0; i < input.rank(); ++i) {
    const bool isReduced =
        std::ranges::find(step.deviceOp.axes, static_cast<int64_t>(i)) != step.deviceOp.axes.end();
    const Axis next{static_cast<uint64_t>(input[i].size()), step.places.from[0].strideOf(i),
                    isReduced ? 0 : step.places.to.strideOf(i), isReduced};
    if (next.size == 1)
      continue;
    Axis *last = axes.empty() ? nullptr : &axes.back();
    if (last && last->isReduced == isReduced && last->from == next.size * next.from &&
        last->to == next.size * next.to)
      *last = {last->size * next.size, next.from, next.to, isReduced};
    else
      axes.push_back(next);
  }
  // If all reduced axes have size 1 and were therefore skipped, adds an axis of size 1, because the
  // instruction needs a reduced axis.
  if (std::ranges::none_of(axes, &Axis::isReduced))
    axes.push_back({1, 0, 0, true});
  size_t outside = 0;
  uint64_t repetitions = 1;
  std::vector<Axis> outer;
  while (axes.size() - outside > 5) {
    const auto next = std::ranges::find_if(axes, [](const Axis &axis) { return !axis.isReduced; });
    outer.push_back(*next);
    repetitions *= next->size;
    axes.erase(next);
  }
  for (uint64_t repetition = 0; repetition < repetitions; ++repetition) {
    Reduce reduce = std::get<Reduce>(step.deviceOp.action);
    uint64_t rest = repetition, fromBase = from.address, toBase = to.address;
    for (size_t i = outer.size(); i-- > 0; rest /= outer[i].size) {
      fromBase += rest % outer[i].size * outer[i].from;
      toBase += rest % outer[i].size * outer[i].to;
    }
    reduce.input = {.space = Space::ocm, .type = from.type, .base = fromBase};
    reduce.output = {.space = Space::ocm, .type = to.type, .base = toBase};
    reduce.input.dims.fill({1, 0});
    reduce.output.dims.fill({1, 0});
    reduce.axes = 0;
    for (size_t i = 0; i < axes.size(); ++i) {
      const size_t at = 5 - axes.size() + i;
      reduce.input.dims[at] = dimension(axes[i].size, axes[i].from);
      if (axes[i].isReduced)
        reduce.axes |= static_cast<uint8_t>(1U << at);
      else
        reduce.output.dims[at] = dimension(axes[i].size, axes[i].to);
    }
    step.add(reduce);
  }
}

void writeSoftmax(StepWriting &step) {
  const std::vector<size_t> order = axesWithInner(step.places.result.rank(), step.deviceOp.axes);
  const RowResult to = rowResult(step, order);
  const View from = step.places.from[0].at(step.needed(0));
  Walk walk({to.view, from});
  for (const size_t axis : std::span(order).first(order.size() - 1))
    walk.addAxis(static_cast<uint64_t>(step.places.result[axis].size()),
                 {to.strides[axis], from.strideOf(axis)});
  const size_t row = order.back();
  const auto length = static_cast<uint64_t>(step.places.result[row].size());
  walk.forEach(
      [&](std::vector<Stream> streams) {
        Softmax softmax = std::get<Softmax>(step.deviceOp.action);
        for (Stream &stream : streams)
          std::rotate(stream.dims.begin(), stream.dims.begin() + 1, stream.dims.end());
        softmax.output = streams[0];
        softmax.input = streams[1];
        softmax.output.dims[4] = dimension(length, to.strides[row]);
        softmax.input.dims[4] = dimension(length, from.strideOf(row));
        step.add(softmax);
      },
      4);
  copyFromScratch(step, to);
}

// Generates the instructions of a normalisation over rows. A row may take several dimensions of a stream,
// which must not be merged with the axes around the row.
void writeNormalize(StepWriting &step) {
  const Box &result = step.places.result;
  const std::vector<size_t> order = axesWithInner(result.rank(), step.deviceOp.axes);
  const RowResult to = rowResult(step, order);
  std::vector<View> views = {to.view};
  for (size_t i = 0; i < step.deviceOp.operands.size(); ++i)
    views.push_back(step.places.from[i].at(step.needed(i)));
  const auto stridesOf = [&](size_t axis) {
    std::vector<uint64_t> strides = {to.strides[axis], step.places.from[0].strideOf(axis)};
    for (size_t i = 1; i < step.deviceOp.operands.size(); ++i)
      strides.push_back(broadcastStride(step, i, axis));
    return strides;
  };
  const size_t numOuter = order.size() - step.deviceOp.axes.size();
  Walk outer(views), inner(views);
  for (size_t i = 0; i < order.size(); ++i)
    (i < numOuter ? outer : inner)
        .addAxis(static_cast<uint64_t>(result[order[i]].size()), stridesOf(order[i]));
  std::vector<Stream> row;
  inner.forEach([&](const std::vector<Stream> &streams) { row = streams; });
  size_t rowDims = 5;
  while (rowDims > 1 &&
         std::ranges::all_of(row, [&](const Stream &stream) { return stream.dims[5 - rowDims].size == 1; }))
    --rowDims;
  outer.forEach(
      [&](std::vector<Stream> streams) {
        for (size_t s = 0; s < streams.size(); ++s) {
          std::rotate(streams[s].dims.begin(), streams[s].dims.begin() + static_cast<long>(rowDims),
                      streams[s].dims.end());
          for (size_t i = 5 - rowDims; i < 5; ++i)
            streams[s].dims[i] = row[s].dims[i];
        }
        Normalize normalize = std::get<Normalize>(step.deviceOp.action);
        normalize.innerDims = static_cast<uint8_t>(rowDims);
        normalize.output = streams[0];
        normalize.input = streams[1];
        // The operands of a normalisation after its input are gain and shift; either may be absent.
        size_t next = 2;
        if (step.deviceOp.offsets[0])
          normalize.gain = streams[next++];
        if (step.deviceOp.offsets[1])
          normalize.shift = streams[next++];
        step.add(normalize);
      },
      5 - rowDims);
  copyFromScratch(step, to);
}

} // namespace tilerig::compiler
