// Tensors of a wanted shape that are computed from other values of a random graph.
#pragma once

#include "tests/support/RandomModel/Graph.h"

namespace tilerig::test {

// A value of this shape: one that the graph has, or the elements of another value, repeated or cut as necessary.
// Unlike RandomGraph::pickOfShape(), never a result of constants alone.
RandomValue fitted(RandomGraph &graph, const Shape &shape);
// The value cut to the first `count` elements of an axis.
RandomValue firstOf(RandomGraph &graph, const RandomValue &x, int64_t axis, int64_t count);
// `value` as the type `type`. The result of a conversion to f32 is a value that other operators may read.
RandomValue castTo(RandomGraph &graph, const RandomValue &value, DType type);
// A new value of an integer type, which later operators may read, computed from floats. Its elements are below `most`
// in magnitude.
RandomValue integersOf(RandomGraph &graph, DType type, int64_t most);
// The same from this value.
RandomValue integersFrom(RandomGraph &graph, const RandomValue &x, DType type, int64_t most);

} // namespace tilerig::test
