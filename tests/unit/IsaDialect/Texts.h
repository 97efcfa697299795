// Prints MLIR modules to text and parses them back.
#pragma once

#include "compiler/Isa/IR/Isa.h"

#include <mlir/IR/AsmState.h>
#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/Diagnostics.h>
#include <mlir/IR/OwningOpRef.h>
#include <mlir/Parser/Parser.h>

namespace tilerig::test {
using namespace compiler;

inline std::string textOf(mlir::Operation *operation, bool isGeneric) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  mlir::OpPrintingFlags flags;
  flags.enableDebugInfo(true, false);
  if (isGeneric)
    flags.printGenericOpForm();
  operation->print(stream, flags);
  return text;
}

// Parses a module. `said` receives the parser's error messages.
inline mlir::OwningOpRef<mlir::ModuleOp> parsed(mlir::MLIRContext &context, const std::string &text,
                                                std::string &said) {
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) { said += diagnostic.str() + "\n"; });
  return mlir::parseSourceString<mlir::ModuleOp>(text, mlir::ParserConfig(&context));
}

} // namespace tilerig::test
