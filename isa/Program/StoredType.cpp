#include "isa/Program/StoredType.h"

#include "isa/Base/Tensor/DType.h"

#include <algorithm>

namespace tilerig {

std::optional<ElementType> storedTypeOf(const proto::Tensor &tensor) {
  constexpr auto &names = EnumNames<ElementType>::values;
  const auto match = std::ranges::find(names, tensor.stored_type());
  return match == names.end() ? std::nullopt : std::optional(static_cast<ElementType>(match - names.begin()));
}

unsigned storedBytes(const proto::Tensor &tensor) {
  if (const auto type = storedTypeOf(tensor))
    return sizeBytes(*type);
  const auto type = isRaw(tensor) ? dtypeNamed(tensor.dtype()) : std::nullopt;
  return type ? static_cast<unsigned>(sizeBytes(*type)) : 0;
}

} // namespace tilerig
