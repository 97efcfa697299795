// Selects slices along an axis: common to gather, compress, reverse and unique.
#pragma once

#include "reference/Run/Operator.h"

namespace tilerig::reference {

// The slices of `input` at the indices `places` along the axis. The axis is replaced by the dimensions
// `placesShape`. All indices must be inside the axis.
Result<Tensor> takeAlong(const Tensor &input, size_t axis, std::span<const int64_t> places,
                         const Shape &placesShape, Threads &threads);

// Integer input `index` as indices in [0, size); negative ones count from the end. Others are an error.
Result<std::vector<int64_t>> placesFrom(const OpContext &context, size_t index, int64_t size);

} // namespace tilerig::reference
