// Parses the terms of an einsum equation.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>
#include <optional>

namespace tilerig::compiler::graph {

// The labels of the axes of one term. The label of a named axis is its letter. The axes that an ellipsis
// stands for (`hidden` axes) have numbers as labels, equal in all terms for axes that broadcasting aligns.
// Empty if the term contains anything but letters and one ellipsis.
std::optional<llvm::SmallVector<int>> lettersOf(llvm::StringRef term, size_t hidden);

} // namespace tilerig::compiler::graph
