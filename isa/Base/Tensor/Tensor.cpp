#include "isa/Base/Tensor/Tensor.h"

#include "isa/Base/Tensor/Bools.h"
#include "isa/Base/Tensor/MemoryBudget.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <new>

namespace tilerig {

std::string showShape(const Shape &shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

Result<size_t> sizeBytesOf(DType type, const Shape &shape) {
  if (shape.size() > maxRank)
    return unsupported(
        "", fmt::format("the shape has {} dimensions, more than the supported {}", shape.size(), maxRank));
  // PTRDIFF_MAX is the maximum size of an object.
  constexpr auto most = static_cast<uint64_t>(std::numeric_limits<ptrdiff_t>::max());
  uint64_t span = sizeBytes(type);
  bool empty = false;
  for (int64_t dim : shape) {
    if (dim < 0)
      return invalidInput("", fmt::format("dimension {} in shape {} is negative", dim, showShape(shape)));
    empty |= dim == 0;
    if (dim && __builtin_mul_overflow(span, static_cast<uint64_t>(dim), &span))
      span = most + 1;
    if (span > most)
      return invalidInput(
          "", fmt::format("a tensor of shape {} and type {} has more bytes than there are addresses",
                          showShape(shape), nameOf(type)));
  }
  return empty ? size_t{0} : static_cast<size_t>(span);
}

static Error noMemory(size_t bytes, DType type, const Shape &shape) {
  const std::shared_ptr<MemoryBudget> &budget = MemoryScope::current();
  std::string description = fmt::format("there is no memory for a tensor of {} bytes, {} {}", bytes,
                                        nameOf(type), showShape(shape));
  if (!budget)
    return invalidInput("", description);
  return invalidInput(
      "", fmt::format("{}: {} of {} bytes are in use", description, budget->used(), budget->limit()),
      "raise the memory limit, or use smaller tensors");
}

Result<Tensor> Tensor::makeUninitialised(DType type, Shape shape) {
  TILERIG_TRY(size_t bytes, sizeBytesOf(type, shape));
  Tensor tensor;
  if (bytes && !(tensor.storage = allocateStorage(bytes)))
    return noMemory(bytes, type, shape);
  tensor.type = type;
  tensor.dims = std::move(shape);
  tensor.byteCount = bytes;
  return tensor;
}

Result<Tensor> Tensor::make(DType type, Shape shape) {
  TILERIG_TRY(Tensor tensor, makeUninitialised(type, std::move(shape)));
  std::ranges::fill(tensor.mutableBytes(), std::byte{0});
  return tensor;
}

Tensor::Tensor(DType type, Shape shape) {
  auto result = make(type, std::move(shape));
  if (!result)
    throw std::bad_alloc(); // a constructor cannot return the error as make() does
  *this = *std::move(result);
}

static bool isAligned(std::span<const std::byte> bytes, DType type) {
  return reinterpret_cast<uintptr_t>(bytes.data()) % componentBytes(type) == 0;
}

Result<Tensor> Tensor::view(DType type, Shape shape, std::span<const std::byte> bytes,
                            std::shared_ptr<const void> owner) {
  TILERIG_TRY(size_t needed, sizeBytesOf(type, shape));
  if (bytes.size() != needed)
    return invalidInput("", fmt::format("there are {} bytes of data, but {} {} needs {}", bytes.size(),
                                        nameOf(type), showShape(shape), needed));
  if (!owner || needed < viewFromBytes || !isAligned(bytes, type)) {
    TILERIG_TRY(Tensor copy, makeUninitialised(type, std::move(shape)));
    std::ranges::copy(bytes, copy.mutableBytes().begin());
    return copy;
  }
  Tensor tensor;
  tensor.type = type;
  tensor.owned = false;
  tensor.dims = std::move(shape);
  tensor.byteCount = needed;
  tensor.storage = {std::move(owner), bytes.data()};
  return tensor;
}

std::vector<int64_t> Tensor::strides() const {
  std::vector<int64_t> steps(rank());
  int64_t step = 1;
  for (size_t dim = rank(); dim-- > 0;) {
    steps[dim] = step;
    step *= std::max<int64_t>(dims[dim], 1);
  }
  return steps;
}

std::span<std::byte> Tensor::mutableBytes() {
  if (byteCount && (!owned || storage.use_count() > 1)) {
    std::shared_ptr<std::byte> own = allocateStorage(byteCount);
    if (!own)
      throw std::bad_alloc();
    std::memcpy(own.get(), storage.get(), byteCount);
    storage = std::move(own);
    owned = true;
  }
  // The reference count shows that no other tensor uses the bytes any more. The fence orders the last reads
  // through other tensors, in other threads, before our writes.
  std::atomic_thread_fence(std::memory_order_acquire);
  return {const_cast<std::byte *>(storage.get()), byteCount};
}

Status Tensor::expectType(DType wanted) const {
  if (type != wanted)
    return invalidInput("",
                        fmt::format("the elements have type {}, expected {}", nameOf(type), nameOf(wanted)));
  return success();
}

Result<Tensor> Tensor::reshaped(Shape shape) const {
  TILERIG_TRY(size_t bytes, sizeBytesOf(type, shape));
  if (bytes != byteCount)
    return invalidInput("", fmt::format("shape {} cannot be reshaped to {}: the numbers of elements differ",
                                        showShape(dims), showShape(shape)));
  Tensor tensor = *this;
  tensor.dims = std::move(shape);
  return tensor;
}

Result<Tensor> Tensor::reinterpreted(DType wanted) const {
  if (tilerig::sizeBytes(wanted) != tilerig::sizeBytes(type))
    return invalidInput("", fmt::format("the bits of {} cannot be read as {}: their elements differ in size",
                                        nameOf(type), nameOf(wanted)));
  // The data may be misaligned for the new type; view() then copies them, for example complex64 of a file
  // that is read as float64.
  if (!isAligned(bytes(), wanted))
    return view(wanted, dims, bytes(), storage);
  Tensor tensor = *this;
  tensor.type = wanted;
  TILERIG_CHECK_OK(checkBools(tensor, ""));
  return tensor;
}

bool identical(const Tensor &left, const Tensor &right) {
  return left.dtype() == right.dtype() && left.shape() == right.shape() &&
         std::ranges::equal(left.bytes(), right.bytes());
}

Status checkBools(const Tensor &tensor, const std::string &place) {
  return tensor.dtype() == DType::boolean ? checkBoolBytes(tensor.bytes(), 0, place) : success();
}

} // namespace tilerig
