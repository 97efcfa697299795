// Sends this compiler's errors through MLIR's diagnostics without losing their kind, place and remedy.
#pragma once

#include "isa/Base/Support/Error.h"

#include <mlir/IR/Diagnostics.h>
#include <optional>

namespace tilerig::compiler {

// Emits the error as a diagnostic, with its parts as metadata.
void emitError(mlir::Location location, const Error &error);
// The error from which emitError() has made this diagnostic; nullopt if the diagnostic was made elsewhere.
std::optional<Error> errorOf(mlir::Diagnostic &diagnostic);

} // namespace tilerig::compiler
