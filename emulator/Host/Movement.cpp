// The host operators Reshape, Transpose and Slice, which only move elements. The compiler has already
// resolved the sizes of results, and starts and steps for every axis.
#include "emulator/Host/Kernels.h"
#include "isa/Base/Tensor/TakenElements.h"

#include <algorithm>
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
