// The host operators Concat, Expand, Reshape, Transpose and Slice, which only move elements. The compiler has already
// resolved the sizes of results, and starts and steps for every axis.
#include "emulator/Host/Elements.h"
#include "emulator/Host/Places.h"
#include "isa/Base/Tensor/TakenElements.h"

#include <algorithm>
#include <cstring>
#include <fmt/core.h>
#include <numeric>

namespace tilerig::emulator {

namespace {

// Whether all sizes of the shape are positive, so that there are elements to move.
bool isSize(const Shape &shape) {
  return std::ranges::all_of(shape, [](int64_t size) { return size > 0; });
}

// Whether the indices start, start + step, … of an axis (`count` of them) are all valid.
bool isInside(int64_t start, int64_t step, int64_t count, int64_t size) {
  int64_t last = 0;
  if (__builtin_mul_overflow(count - 1, step, &last) || __builtin_add_overflow(last, start, &last))
    return false;
  return start >= 0 && start < size && last >= 0 && last < size;
}

} // namespace

Result<HostResult> runConcat(const HostCall &call) {
  TILERIG_TRY(const Tensor *first, call.input(0));
  TILERIG_TRY(const int64_t axis, axisOf(call, "axis", 0, first->rank()));
  Shape shape = first->shape();
  shape[axis] = 0;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    TILERIG_TRY(const Tensor *input, call.input(i));
    Shape others = input->shape();
    const bool hasAxis = others.size() == shape.size();
    const int64_t length = hasAxis ? std::exchange(others[axis], shape[axis]) : 0;
    if (others != shape || input->dtype() != first->dtype())
      return call.refuse(
          fmt::format("inputs of types {} and {} and shapes {} and {} cannot be joined along axis {}",
                      nameOf(first->dtype()), nameOf(input->dtype()), showShape(first->shape()),
                      showShape(input->shape()), axis));
    shape[axis] += length;
  }
  TILERIG_TRY(Tensor result, Tensor::make(first->dtype(), shape));
  // A tensor is a list of blocks: the elements behind each index of the axes in front of the joined one.
  const uint64_t blocks = countOf(Shape(shape.begin(), shape.begin() + axis));
  auto *to = result.mutableBytes().data();
  for (uint64_t block = 0; block < blocks; ++block)
    for (const Tensor *input : call.inputs) {
      const size_t bytes = input->bytes().size() / blocks;
      to = std::ranges::copy(input->bytes().subspan(block * bytes, bytes), to).out;
    }
  return HostResult{std::vector{std::move(result)}};
}

Result<HostResult> runExpand(const HostCall &call) {
  TILERIG_TRY(const Tensor *input, call.input(0));
  TILERIG_TRY(const Shape shape, call.integers("shape"));
  TILERIG_TRY(const Shape common, broadcastShape(call, {input->shape(), shape}));
  uint64_t count = 1;
  constexpr uint64_t mostElements = uint64_t{1} << 26;
  const bool fits =
      isSize(shape) && std::ranges::all_of(shape, [&](int64_t size) {
        return !__builtin_mul_overflow(count, static_cast<uint64_t>(size), &count) && count <= mostElements;
      });
  if (!fits || common != shape)
    return call.refuse(fmt::format("an input of shape {} cannot be expanded to {}", showShape(input->shape()),
                                   showShape(shape)));
  TILERIG_TRY(Tensor result, Tensor::make(input->dtype(), shape));
  const size_t bytes = sizeBytes(input->dtype());
  BroadcastOffsets<1> offsets(shape, {input});
  for (size_t i = 0; i < result.elementCount(); ++i, offsets.advance())
    std::memcpy(result.mutableBytes().data() + i * bytes,
                input->bytes().data() + static_cast<size_t>(offsets.current()[0]) * bytes, bytes);
  return HostResult{std::vector{std::move(result)}};
}

Result<HostResult> runReshape(const HostCall &call) {
  TILERIG_TRY(const Tensor *input, call.input(0));
  TILERIG_TRY(const Shape shape, call.integers("shape"));
  uint64_t count = 1;
  const bool fits = isSize(shape) && std::ranges::all_of(shape, [&](int64_t size) {
                      return !__builtin_mul_overflow(count, static_cast<uint64_t>(size), &count);
                    });
  if (!fits || count != input->elementCount())
    return call.refuse(fmt::format("an input of shape {} cannot be reshaped to {}", showShape(input->shape()),
                                   showShape(shape)));
  TILERIG_TRY(Tensor result, Tensor::make(input->dtype(), shape));
  std::ranges::copy(input->bytes(), result.mutableBytes().begin());
  return HostResult{std::vector{std::move(result)}};
}

Result<HostResult> runTranspose(const HostCall &call) {
  TILERIG_TRY(const Tensor *input, call.input(0));
  TILERIG_TRY(const std::vector<int64_t> perm, call.integers("perm"));
  std::vector<int64_t> axes(input->rank());
  std::iota(axes.begin(), axes.end(), 0);
  if (!std::ranges::is_permutation(perm, axes))
    return call.refuse(fmt::format("attribute perm is {}, which is not a permutation of the input's {} axes",
                                   showShape(perm), input->rank()));
  return HostResult{std::vector{transposed(*input, perm)}};
}

Result<HostResult> runSlice(const HostCall &call) {
  TILERIG_TRY(const Tensor *input, call.input(0));
  TILERIG_TRY(const Shape shape, call.integers("shape"));
  TILERIG_TRY(const std::vector<int64_t> starts, call.integers("starts"));
  TILERIG_TRY(const std::vector<int64_t> steps, call.integers("steps"));
  const Shape &from = input->shape();
  bool fits = shape.size() == from.size() && starts.size() == from.size() && steps.size() == from.size() &&
              isSize(shape);
  for (size_t d = 0; fits && d < from.size(); ++d)
    fits = isInside(starts[d], steps[d], shape[d], from[d]);
  if (!fits)
    return call.refuse(
        fmt::format("a slice of shape {} with starts {} and steps {} is not inside an input of shape {}",
                    showShape(shape), showShape(starts), showShape(steps), showShape(from)));
  int64_t base = 0;
  std::vector<int64_t> strides = input->strides();
  for (size_t d = 0; d < from.size(); ++d) {
    base += starts[d] * strides[d];
    strides[d] *= steps[d];
  }
  return HostResult{std::vector{takenByStrides(*input, shape, base, strides)}};
}

} // namespace tilerig::emulator
