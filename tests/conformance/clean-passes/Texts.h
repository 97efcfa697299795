// The functions of an MLIR text in tests/lit, and the passes that its RUN lines run.
#pragma once

#include "isa/Base/Support/Error.h"

#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/MLIRContext.h>
#include <mlir/IR/OwningOpRef.h>

namespace tilerig::meaning {

struct TestText {
  std::vector<std::string> pipelines; // of the lines "// RUN: tilerig-opt %s -PASS...", without repetitions
  bool isGraph = true;                // whether the functions of the text are on level `graph`
  std::vector<std::pair<std::string, std::string>>
      functions; // name of each function, and a module with this function as `main`
};

// Reads an MLIR text; its passes must be registered. A text that runs no passes has no pipelines and no
// functions.
Result<TestText> readTestText(mlir::MLIRContext &context, const std::string &path);

} // namespace tilerig::meaning
