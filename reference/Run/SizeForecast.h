// Shape inference before a run, to reject tensors that would exceed the memory limit. Without it, a model of
// one kilobyte that doubles a tensor forty times would fill the memory for a minute before the run fails.
//
// Shapes are inferred for operators that let tensors grow (Concat, Expand, Tile, ConstantOfShape, products,
// broadcasting operators) and for operators that keep the shape. Outputs of all other operators, and
// everything that depends on them, are checked against the same limit during the run.
#pragma once

#include "reference/Run/Plan.h"

namespace tilerig::reference {

// The shape of each value, indexed by ValueId; none if the shape is unknown.
using ForecastShapes = std::vector<std::optional<Shape>>;

// The shapes that are known before any node runs: of the main graph's constants, and of its inputs as the
// model declares them.
ForecastShapes declaredShapes(const Plan &plan);

// Returns an error for the first node whose result certainly exceeds the limit. An element counts as one
// byte, the least that it can take.
Status forecastSizes(const Plan &plan, ForecastShapes shapes, uint64_t limitBytes);

} // namespace tilerig::reference
