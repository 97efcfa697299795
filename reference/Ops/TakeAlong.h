// Selects slices along an axis: common to gather, compress, reverse and unique.
#pragma once

#include "reference/Run/Operator.h"

namespace tilerig::reference {

// The slices of `input` at the indices `places` along the axis. In the result, the dimensions `placesShape`
// replace the axis. All indices must be inside the axis.
Result<Tensor> takeAlong(const Tensor &input, size_t axis, std::span<const int64_t> places,
                         const Shape &placesShape, Threads &threads);

// Reads integer input `index` as indices into an axis of `size`, and converts negative ones, which count from
// the end, to indices from the front. Indices outside the axis are an error.
Result<std::vector<int64_t>> placesFrom(const OpContext &context, size_t index, int64_t size);

} // namespace tilerig::reference
