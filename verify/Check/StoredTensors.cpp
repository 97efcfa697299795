#include "verify/Check/StoredTensors.h"

#include "emulator/Memory/Stored.h"

#include <algorithm>
#include <utility>

namespace tilerig::verify {

namespace {

// With the same values, if the type has them.
std::optional<Tensor> integersAs(const Tensor &tensor, DType type) {
  Tensor result(type, tensor.shape());
  bool fits = true;
  dispatch(tensor.dtype(), [&]<class From>() {
    dispatch(type, [&]<class To>() {
      if constexpr (std::is_integral_v<From> && std::is_integral_v<To>) {
        const auto from = tensor.as<From>();
        const auto to = result.mutableAs<To>();
        for (size_t i = 0; i < from.size(); ++i) {
          to[i] = static_cast<To>(from[i]);
          fits &= static_cast<From>(to[i]) == from[i] && (to[i] < To{}) == (from[i] < From{});
        }
      } else {
        fits = false;
      }
    });
  });
  return fits ? std::optional(std::move(result)) : std::nullopt;
}

} // namespace

Tensor asStored(const proto::Tensor &placement, const Tensor &tensor) {
  const DType stored = storedDType(placement);
  if (tensor.dtype() == stored)
    return tensor;
  return integersAs(tensor, stored).value_or(tensor);
}

Tensor inRoom(const Tensor &tensor, const Shape &shape) {
  const Shape &rows = tensor.shape();
  const bool hasRoom = tensor.dtype() == DType::i64 && !rows.empty() && rows.size() == shape.size() &&
                       rows[0] < shape[0] && std::equal(rows.begin() + 1, rows.end(), shape.begin() + 1);
  if (!hasRoom)
    return tensor;
  Tensor room(DType::i64, shape);
  const auto to = room.mutableAs<int64_t>();
  std::ranges::fill(to, -1);
  std::ranges::copy(tensor.as<int64_t>(), to.begin());
  return room;
}

Result<Tensor> asModel(const proto::Tensor &placement, const Tensor &stored) {
  if (stored.dtype() != storedDType(placement))
    return stored;
  return fromStored(placement, stored);
}

} // namespace tilerig::verify
