#include "emulator/Host/Places.h"

#include <fmt/core.h>

namespace tilerig::emulator {

Result<int64_t> axisOf(const HostCall &call, const std::string &attribute, int64_t fallback, size_t rank) {
  TILERIG_TRY(const int64_t axis, call.integer(attribute, fallback));
  const auto axes = static_cast<int64_t>(rank);
  if (axis < -axes || axis >= axes)
    return call.refuse(fmt::format("attribute '{}' is {}, but input 0 has rank {}", attribute, axis, axes));
  return axis < 0 ? axis + axes : axis;
}

Result<std::vector<int64_t>> indicesOf(const HostCall &call, size_t input) {
  TILERIG_TRY(const Tensor *tensor, call.input(input));
  if (tensor->dtype() == DType::i64)
    return std::vector<int64_t>(tensor->as<int64_t>().begin(), tensor->as<int64_t>().end());
  if (tensor->dtype() == DType::i32)
    return std::vector<int64_t>(tensor->as<int32_t>().begin(), tensor->as<int32_t>().end());
  return call.refuse(
      fmt::format("input {} has type {}, expected int32 or int64", input, nameOf(tensor->dtype())));
}

Result<int64_t> placeOf(const HostCall &call, int64_t index, int64_t size) {
  if (index < -size || index >= size)
    return call.refuse(fmt::format("index {} is out of range for an axis of size {}", index, size));
  return index < 0 ? index + size : index;
}

} // namespace tilerig::emulator
