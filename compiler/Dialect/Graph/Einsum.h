// Parses the terms of an einsum equation.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>
#include <optional>

namespace tilerig::compiler::graph {

// The label of each axis of a term: its letter, or for each of the `hidden` axes under an ellipsis a number
// that is no letter. These numbers align at the last hidden axis, as for broadcasting. Empty if the term
// contains anything but letters and one ellipsis.
std::optional<llvm::SmallVector<int>> lettersOf(llvm::StringRef term, size_t hidden);

} // namespace tilerig::compiler::graph
