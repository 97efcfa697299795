// Rotary position embedding as a composition, shared by the operators that contain it.
#pragma once

#include "compiler/Graph/Import/Composition.h"

namespace tilerig::compiler {

// Rotates pairs of elements of the last axis: pair i consists of the elements 2i and 2i + 1 if interleaved, else of i
// and i + pairs. `cosines` and `sines` broadcast to the shape of x with `pairs` elements in the last axis; elements
// behind all pairs remain.
mlir::Value rotatePairs(Composition &to, mlir::Value x, mlir::Value cosines, mlir::Value sines, int64_t pairs,
                        bool interleaved);

} // namespace tilerig::compiler
