// What the pass unroll-recurrences states about the recurrent layers that it leaves as they are.
#pragma once

#include <llvm/ADT/StringRef.h>

namespace tilerig::compiler::graph {

// Attribute of a recurrent layer: why it is not unrolled.
inline constexpr llvm::StringLiteral notUnrolledAttribute = "graph.not_unrolled";

} // namespace tilerig::compiler::graph
