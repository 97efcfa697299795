// Parses the terms of an einsum equation.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>
#include <optional>

namespace tilerig::compiler::graph {

// The labels of the axes of one term. The label of a named axis is its letter. The `hidden` axes that an
// ellipsis stands for get numbers that are not letters; the last hidden axis has the same number in every
// term, as broadcasting aligns axes at the last. Empty if the term contains anything but letters and one
// ellipsis.
std::optional<llvm::SmallVector<int>> lettersOf(llvm::StringRef term, size_t hidden);

} // namespace tilerig::compiler::graph
