// Names of discardable MLIR attributes in which passes record what they decided about a layer, and why, for
// the report and the metadata. The name of a further such attribute, layer.placement, is in
// Layer/Partition/Layers.h.
#pragma once

#include <llvm/ADT/StringRef.h>

namespace tilerig::compiler {

// Attribute with the precision of a layer, such as "fp32". If the precision plan asked for another precision,
// a colon and the reason for the difference follow.
inline constexpr llvm::StringLiteral precisionAttribute = "layer.precision";
// Attribute with the reasons why a pass has not fused a layer into the layers that compute its operands: a
// list with one reason for each operand that could not be fused, in the order of the operands.
inline constexpr llvm::StringLiteral notFusedAttribute = "layer.not_fused";

} // namespace tilerig::compiler
