// Traits of operations of the dialect `graph`, which GraphBase.td declares to TableGen.
#pragma once

#include <mlir/IR/OpDefinition.h>

namespace tilerig::compiler::graph {

// The result has the shape to which the operands broadcast, and each of its elements depends only on the
// elements of the operands at its place. So the operation computes the same on tensors whose axes are
// permuted.
template <class Op>
class Elementwise : public mlir::OpTrait::TraitBase<Op, Elementwise> {};

} // namespace tilerig::compiler::graph
