// Names of discardable attributes in which passes record what they decided about a layer, and why, for the
// report and the metadata. layer.placement (Layer/Partition/Layers.h) is another one.
#pragma once

#include <llvm/ADT/StringRef.h>

namespace tilerig::compiler {

// The precision of the layer; behind a colon, the reason if it is not that of the precision plan.
inline constexpr llvm::StringLiteral precisionAttribute = "layer.precision";
// Why the layer is not part of the layer that computes its operand: a list of texts, one for each operand to
// which this applies, in order.
inline constexpr llvm::StringLiteral notFusedAttribute = "layer.not_fused";

} // namespace tilerig::compiler
