// Names of discardable attributes in which passes record what they decided about a layer, and why, for the
// report and the metadata. layer.placement (Layer/Partition/Layers.h) is another one.
#pragma once

#include <llvm/ADT/StringRef.h>

namespace tilerig::compiler {

// Attribute with the precision of a layer. If the precision plan asks for another precision, a colon and the
// reason follow.
inline constexpr llvm::StringLiteral precisionAttribute = "layer.precision";
// Attribute with the reasons why a pass has not fused a layer into the layers that compute its operands: a
// list with one reason for each operand that could not be fused, in the order of the operands.
inline constexpr llvm::StringLiteral notFusedAttribute = "layer.not_fused";

} // namespace tilerig::compiler
