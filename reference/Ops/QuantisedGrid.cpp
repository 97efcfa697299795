#include "reference/Ops/QuantisedGrid.h"

#include <fmt/core.h>

namespace tilerig::reference {

Status needInput(const OpContext &context, size_t index) {
  if (!context.has(index))
    return context.invalid(fmt::format("input {} is missing", index));
  return success();
}

Result<Grid> gridOf(const OpContext &context, size_t scale, size_t zero, DType type) {
  TILERIG_CHECK_OK(needInput(context, scale));
  TILERIG_TRY(std::vector<float> values, scales(context, scale, 1));
  if (!isEight(type))
    return context.invalid(
        fmt::format("quantised values of type {} are not supported, expected int8 or uint8", nameOf(type)));
  if (!context.has(zero))
    return Grid{values[0], 0};
  const Tensor &tensor = context.input(zero);
  if (tensor.dtype() != type || tensor.elementCount() != 1)
    return context.invalid(
        fmt::format("the zero point has type {} and shape {}, expected one element of type {}",
                    nameOf(tensor.dtype()), showShape(tensor.shape()), nameOf(type)));
  return Grid{values[0], withEight(tensor, [](auto elements) { return int32_t{elements[0]}; })};
}

} // namespace tilerig::reference
