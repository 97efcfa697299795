#include "compiler/Passes/PassErrors.h"

namespace tilerig::compiler {

namespace {

// marks the MLIR diagnostics that emitError() in this file creates
constexpr llvm::StringLiteral marker = "tilerig.error";

} // namespace

void emitError(mlir::Location location, const Error &error) {
  mlir::InFlightDiagnostic diagnostic = mlir::emitError(location, error.message());
  auto &metadata = diagnostic.getUnderlyingDiagnostic()->getMetadata();
  metadata.emplace_back(marker);
  metadata.emplace_back(static_cast<int64_t>(error.kind));
  for (const std::string *const part : {&error.place, &error.what, &error.remedy})
    metadata.emplace_back(llvm::StringRef(*part));
}

std::optional<Error> errorOf(mlir::Diagnostic &diagnostic) {
  const auto &metadata = diagnostic.getMetadata();
  if (metadata.size() != 5 ||
      metadata[0].getKind() != mlir::DiagnosticArgument::DiagnosticArgumentKind::String ||
      metadata[0].getAsString() != marker)
    return {};
  return Error{static_cast<ErrorKind>(metadata[1].getAsInteger()), metadata[2].getAsString().str(),
               metadata[3].getAsString().str(), metadata[4].getAsString().str()};
}

} // namespace tilerig::compiler
