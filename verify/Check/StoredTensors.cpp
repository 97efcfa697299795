#include "verify/Check/StoredTensors.h"

#include "emulator/Memory/Stored.h"

#include <algorithm>
#include <concepts>
#include <utility>

namespace tilerig::verify {

namespace {

// Converts the elements of `tensor` to those of `result`; false if any value does not fit.
template <std::integral From, std::integral To>
bool convertIntegers(const Tensor &tensor, Tensor &result) {
  const auto from = tensor.as<From>();
  const auto to = result.mutableAs<To>();
  bool fits = true;
  for (size_t i = 0; i < from.size(); ++i) {
    to[i] = static_cast<To>(from[i]);
    fits &= static_cast<From>(to[i]) == from[i] && (to[i] < To{}) == (from[i] < From{});
  }
  return fits;
}

// Converts integers to another integer type; empty if any value does not fit.
std::optional<Tensor> integersAs(const Tensor &tensor, DType type) {
  Tensor result(type, tensor.shape());
  bool fits = false;
  dispatch(tensor.dtype(), [&]<class From>() {
    dispatch(type, [&]<class To>() {
      if constexpr (std::is_integral_v<From> && std::is_integral_v<To>)
        fits = convertIntegers<From, To>(tensor, result);
    });
  });
  return fits ? std::optional(std::move(result)) : std::nullopt;
}

} // namespace

Tensor asStored(const proto::Tensor &placement, const Tensor &tensor) {
  const DType stored = emulator::storedDType(placement);
  if (tensor.dtype() == stored)
    return tensor;
  return integersAs(tensor, stored).value_or(tensor);
}

Tensor asEmitted(const proto::Tensor &placement, const Tensor &emitted, const Tensor &stored) {
  const bool isDequantised =
      hasScale(placement) && emitted.dtype() == DType::f32 && emulator::modelDType(placement) == DType::f32;
  if (!isDequantised)
    return stored;
  Result<Tensor> reals = asModel(placement, stored);
  return reals ? *std::move(reals) : stored;
}

// The only axis along which the second shape is longer than the first; empty if there is none, or if further
// sizes differ.
static std::optional<size_t> openAxis(const Shape &from, const Shape &to) {
  if (from.size() != to.size())
    return std::nullopt;
  std::optional<size_t> open;
  for (size_t axis = 0; axis < from.size(); ++axis)
    if (from[axis] > to[axis] || (from[axis] != to[axis] && std::exchange(open, axis)))
      return std::nullopt;
  return open;
}

Tensor paddedTo(const Tensor &tensor, const Shape &shape) {
  const std::optional<size_t> axis =
      tensor.dtype() == DType::i64 ? openAxis(tensor.shape(), shape) : std::nullopt;
  if (!axis)
    return tensor;
  Tensor padded(DType::i64, shape);
  const auto to = padded.mutableAs<int64_t>();
  const auto from = tensor.as<int64_t>();
  std::ranges::fill(to, -1);
  // Elements along `axis` and the axes after it are contiguous in memory, so they are copied at once.
  size_t runs = 1, inner = 1;
  for (size_t i = 0; i < shape.size(); ++i)
    (i < *axis ? runs : inner) *= static_cast<size_t>(i == *axis ? 1 : shape[i]);
  const size_t length = static_cast<size_t>(tensor.shape()[*axis]) * inner,
               paddedLength = static_cast<size_t>(shape[*axis]) * inner;
  for (size_t run = 0; run < runs; ++run)
    std::ranges::copy(from.subspan(run * length, length),
                      to.begin() + static_cast<std::ptrdiff_t>(run * paddedLength));
  return padded;
}

Result<Tensor> asModel(const proto::Tensor &placement, const Tensor &stored) {
  if (stored.dtype() != emulator::storedDType(placement))
    return stored;
  return emulator::fromStored(placement, stored);
}

bool hasScale(const proto::Tensor &placement) { return placement.scale() != 0; }

proto::Tensor withOutsideType(const proto::Tensor &placement, DType type) {
  proto::Tensor other = placement;
  other.set_dtype(std::string(nameOf(type)));
  return other;
}

Result<Tensor> asOriginal(const proto::Tensor &placement, const Tensor &stored, DType original) {
  const auto isInteger = [](DType type) { return type == DType::i8 || type == DType::u8; };
  if (isInteger(original) && isInteger(stored.dtype()))
    return stored; // integers of the original model are compared as integers
  if (hasScale(placement) && isInteger(emulator::modelDType(placement)))
    return asModel(withOutsideType(placement, original), stored);
  return asModel(placement, stored);
}

} // namespace tilerig::verify
