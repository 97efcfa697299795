// Operators that read or write elements by index (gather and scatter).
#include "reference/Ops/Axes.h"
#include "reference/Ops/ElementOfSize.h"
#include "reference/Ops/Families.h"
#include "reference/Ops/TakeAlong.h"
#include "reference/Ops/Wrapping.h"
#include "reference/Run/Floats.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/core.h>

namespace tilerig::reference {

namespace {

Status gather(OpContext &context) {
  const Tensor &data = context.input(0);
  TILERIG_TRY(int64_t rawAxis, context.intAttribute("axis", 0));
  TILERIG_TRY(size_t axis, context.axis(rawAxis, data.rank()));
  TILERIG_TRY(std::vector<int64_t> places, placesFrom(context, 1, data.shape()[axis]));
  TILERIG_TRY(context.outputs[0], takeAlong(data, axis, places, context.input(1).shape(), context.threads));
  return success();
}

// For each element of the indices of GatherElements or ScatterElements, the offset of the data element that
// it refers to. This data element has the same position as the index, except along `axis`, where the value of
// the index is the position.
Result<std::vector<int64_t>> elementOffsets(const OpContext &context, size_t axis) {
  const Tensor &data = context.input(0), &indices = context.input(1);
  bool fits = indices.rank() == data.rank();
  for (size_t d = 0; fits && d < data.rank(); ++d)
    fits = d == axis || indices.shape()[d] <= data.shape()[d];
  if (!fits)
    return context.invalid(fmt::format("indices of shape {} do not fit data of shape {}",
                                       showShape(indices.shape()), showShape(data.shape())));
  TILERIG_TRY(std::vector<int64_t> offsets, placesFrom(context, 1, data.shape()[axis]));
  const Shape &shape = indices.shape();
  auto strides = data.strides();
  int64_t axisStride = strides[axis];
  strides[axis] = 0;
  for (size_t i = 0; i < offsets.size(); ++i) {
    int64_t at = offsets[i] * axisStride, rest = static_cast<int64_t>(i);
    for (size_t d = shape.size(); d-- > 0; rest /= shape[d])
      at += rest % shape[d] * strides[d];
    offsets[i] = at;
  }
  return offsets;
}

Status gatherElements(OpContext &context) {
  const Tensor &data = context.input(0);
  TILERIG_TRY(int64_t rawAxis, context.intAttribute("axis", 0));
  TILERIG_TRY(size_t axis, context.axis(rawAxis, data.rank()));
  TILERIG_TRY(std::vector<int64_t> offsets, elementOffsets(context, axis));
  TILERIG_TRY(Tensor output, Tensor::makeUninitialised(data.dtype(), context.input(1).shape()));
  withElementOfSize(sizeBytes(data.dtype()), [&]<class Element>() {
    auto from = reinterpret_cast<const Element *>(data.bytes().data());
    auto to = reinterpret_cast<Element *>(output.mutableBytes().data());
    for (size_t i = 0; i < offsets.size(); ++i)
      to[i] = from[offsets[i]];
  });
  context.outputs[0] = std::move(output);
  return success();
}

// The blocks of a tensor that the index tuples of GatherND or ScatterND refer to; each has `run` elements.
struct Blocks {
  std::vector<int64_t> offsets;
  int64_t run = 1;
  Shape shape; // shape of the tensor that consists of all blocks
};

Result<Blocks> blocksAt(const OpContext &context, int64_t batchDims) {
  const Shape &data = context.input(0).shape(), &indices = context.input(1).shape();
  auto rank = static_cast<int64_t>(data.size());
  if (indices.empty() || batchDims < 0 || batchDims >= static_cast<int64_t>(indices.size()) ||
      batchDims >= rank || indices.back() < 1 || indices.back() > rank - batchDims ||
      !std::equal(data.begin(), data.begin() + batchDims, indices.begin()))
    return context.invalid(fmt::format("indices of shape {} with batch_dims {} do not fit data of shape {}",
                                       showShape(indices), batchDims, showShape(data)));
  auto batch = static_cast<size_t>(batchDims), tuple = static_cast<size_t>(indices.back());
  Blocks blocks;
  blocks.shape.assign(indices.begin(), indices.end() - 1);
  blocks.shape.insert(blocks.shape.end(), data.begin() + static_cast<ptrdiff_t>(batch + tuple), data.end());
  blocks.run = product(std::span(data).subspan(batch + tuple));
  int64_t count = product(std::span(indices).first(indices.size() - 1));
  if (count == 0 || blocks.run == 0)
    return blocks;
  int64_t batchCount = product(std::span(data).first(batch));
  int64_t batchSize = product(std::span(data).subspan(batch)), perBatch = count / batchCount;
  TILERIG_TRY(std::vector<int64_t> raw, context.integers(1));
  blocks.offsets.resize(static_cast<size_t>(count));
  auto strides = context.input(0).strides();
  for (int64_t i = 0; i < count; ++i) {
    int64_t at = i / perBatch * batchSize;
    for (size_t d = 0; d < tuple; ++d) {
      int64_t index = raw[static_cast<size_t>(i) * tuple + d], size = data[batch + d];
      if (index < -size || index >= size)
        return context.invalid(
            fmt::format("index {} is out of range for axis {} of size {}", index, batch + d, size));
      at += (index < 0 ? index + size : index) * strides[batch + d];
    }
    blocks.offsets[static_cast<size_t>(i)] = at;
  }
  return blocks;
}

Status gatherNd(OpContext &context) {
  const Tensor &data = context.input(0);
  TILERIG_TRY(int64_t batchDims, context.intAttribute("batch_dims", 0));
  TILERIG_TRY(Blocks blocks, blocksAt(context, batchDims));
  TILERIG_TRY(Tensor output, Tensor::makeUninitialised(data.dtype(), blocks.shape));
  size_t element = sizeBytes(data.dtype()), run = static_cast<size_t>(blocks.run) * element;
  auto to = output.mutableBytes();
  for (size_t i = 0; i < blocks.offsets.size(); ++i)
    std::memcpy(to.data() + i * run, data.bytes().data() + static_cast<size_t>(blocks.offsets[i]) * element,
                run);
  context.outputs[0] = std::move(output);
  return success();
}

// Calls apply(combine), where combine(old, update) gives the element that is written for the attribute
// `reduction` (for example their sum).
template <class T, class Apply>
Status withReduction(const OpContext &context, const std::string &reduction, Apply apply) {
  auto lesser = [](T a, T b) { return b < a || b != b ? b : a; };
  auto greater = [](T a, T b) { return b > a || b != b ? b : a; };
  if (reduction == "add")
    apply(wrappingSum<T>);
  else if (reduction == "mul")
    apply(wrappingProduct<T>);
  else if (reduction == "min")
    apply(lesser);
  else if (reduction == "max")
    apply(greater);
  else
    return context.invalid(
        fmt::format("attribute reduction is '{}', expected none, add, mul, min or max", reduction));
  return success();
}

template <class T>
Status combineBlocks(const OpContext &context, const Blocks &blocks, const std::string &reduction,
                     Tensor &output, const Tensor &updates) {
  auto to = output.mutableAs<T>();
  auto from = updates.as<T>();
  return withReduction<T>(context, reduction, [&](auto combine) {
    for (size_t i = 0; i < blocks.offsets.size(); ++i)
      for (int64_t j = 0; j < blocks.run; ++j) {
        T &there = to[static_cast<size_t>(blocks.offsets[i] + j)];
        there = combine(there, from[i * static_cast<size_t>(blocks.run) + static_cast<size_t>(j)]);
      }
  });
}

// Scatters the updates (input 2) into a copy of the data, one after the other, so that the last update of an
// element prevails.
Status scatterBlocks(OpContext &context, const Blocks &blocks) {
  const Tensor &updates = context.input(2);
  TILERIG_TRY(std::string reduction, context.textAttribute("reduction", "none"));
  DType type = context.input(0).dtype();
  if (updates.dtype() != type || updates.shape() != blocks.shape)
    return context.invalid(fmt::format("the updates have type and shape {} {}, expected {} {}",
                                       nameOf(updates.dtype()), showShape(updates.shape()), nameOf(type),
                                       showShape(blocks.shape)));
  Tensor output = context.take(0);
  if (reduction == "none") {
    size_t element = sizeBytes(type), run = static_cast<size_t>(blocks.run) * element;
    auto to = output.mutableBytes();
    for (size_t i = 0; i < blocks.offsets.size(); ++i)
      std::memcpy(to.data() + static_cast<size_t>(blocks.offsets[i]) * element,
                  updates.bytes().data() + i * run, run);
    context.outputs[0] = std::move(output);
    return success();
  }
  bool isHalf = type == DType::f16 || type == DType::bf16;
  if (isHalf)
    output = widened(output);
  Tensor wide = isHalf ? widened(updates) : updates;
  TILERIG_CHECK_OK(dispatch(output.dtype(), [&]<class T>() -> Status {
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>)
      return combineBlocks<T>(context, blocks, reduction, output, wide);
    else
      return context.notSupported(
          fmt::format("reduction '{}' is not supported for type {}", reduction, nameOf(type)));
  }));
  context.outputs[0] = isHalf ? narrowed(output, type) : std::move(output);
  return success();
}

Status scatterElements(OpContext &context) {
  TILERIG_TRY(int64_t rawAxis, context.intAttribute("axis", 0));
  TILERIG_TRY(size_t axis, context.axis(rawAxis, context.input(0).rank()));
  TILERIG_TRY(std::vector<int64_t> offsets, elementOffsets(context, axis));
  return scatterBlocks(context, {std::move(offsets), 1, context.input(1).shape()});
}

Status scatterNd(OpContext &context) {
  TILERIG_TRY(Blocks blocks, blocksAt(context, 0));
  return scatterBlocks(context, blocks);
}

} // namespace

std::span<const OpEntry> indexingOps() {
  static constexpr OpEntry entries[] = {
      {"Gather", 1, 2, 2, gather, HalfFloats::native},
      {"GatherElements", 11, 2, 2, gatherElements, HalfFloats::native},
      {"GatherND", 11, 2, 2, gatherNd, HalfFloats::native},
      {"Scatter", 9, 3, 3, scatterElements, HalfFloats::native},
      {"ScatterElements", 11, 3, 3, scatterElements, HalfFloats::native},
      {"ScatterND", 11, 3, 3, scatterNd, HalfFloats::native},
  };
  return entries;
}

} // namespace tilerig::reference
