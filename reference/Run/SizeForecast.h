// Sizes of tensors before anything is computed: a model of a kilobyte can double a tensor forty times, and
// would fill the memory for a minute before it is refused.
//
// Known are the shapes of operators that let tensors grow (Concat, Expand, Tile, ConstantOfShape, products,
// what broadcasts) and of those that keep them; other operators give shapes that are not known, and so do
// those behind them. What is not known is left to the run, which has the same limit.
#pragma once

#include "reference/Run/Plan.h"

namespace tilerig::reference {

// Shapes by value; none where it is not known.
using ForecastShapes = std::vector<std::optional<Shape>>;

// Of the main graph's values before its nodes: constants, and inputs as the model declares them.
ForecastShapes declaredShapes(const Plan &plan);

// Refuses the first node whose result is for certain larger than the limit. An element counts as one byte,
// which is the least that it can take.
Status forecastSizes(const Plan &plan, ForecastShapes shapes, uint64_t limitBytes);

} // namespace tilerig::reference
