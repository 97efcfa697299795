// Terms of an einsum's equation.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>
#include <optional>

namespace tilerig::graph {

// The label of each axis: its letter, or for those under an ellipsis, of which there are `hidden`, a number
// that no letter has, counted from the last. None where the term has something else.
std::optional<llvm::SmallVector<int>> lettersOf(llvm::StringRef term, size_t hidden);

} // namespace tilerig::graph
