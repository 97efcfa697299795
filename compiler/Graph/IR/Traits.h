// Traits of operations of the dialect `graph`, which GraphBase.td declares to TableGen.
#pragma once

#include <mlir/IR/OpDefinition.h>

namespace tilerig::compiler::graph {

// An elementwise operation: its result has the shape to which the operands broadcast, and each element of the
// result depends only on the operands' elements at the same position. So the operation computes the same on
// tensors whose axes are permuted, or whose operands are all reshaped alike.
template <class Op>
class Elementwise : public mlir::OpTrait::TraitBase<Op, Elementwise> {};

} // namespace tilerig::compiler::graph
