// Picking along one axis: what gathering, compressing, reversing and uniting have in common.
#pragma once

#include "reference/Run/Operator.h"

namespace tilerig::reference {

// The slices of `input` at `places` along the axis, which a dimension for each of `placesShape` replaces.
// Every place is inside the axis.
Result<Tensor> takeAlong(const Tensor &input, size_t axis, std::span<const int64_t> places,
                         const Shape &placesShape, Threads &threads);

// Integer input `index` as places in [0, size), those below zero counted from the end. Outside: refused.
Result<std::vector<int64_t>> placesFrom(const OpContext &context, size_t index, int64_t size);

} // namespace tilerig::reference
