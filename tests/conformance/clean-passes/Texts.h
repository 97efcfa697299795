// The functions of an MLIR text that lit tests, and the passes that its RUN lines run.
#pragma once

#include "isa/Base/Support/Error.h"

#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/MLIRContext.h>
#include <mlir/IR/OwningOpRef.h>

namespace tilerig::meaning {

struct TestText {
  std::vector<std::string> pipelines; // of the lines "// RUN: tilerig-opt %s -PASS...", without repetitions
  bool isGraph = true;                // whether it is a text of level graph
  std::vector<std::pair<std::string, std::string>>
      functions; // by name, each as the text of a module with `main`
};

// Reads a text. The passes must be registered. A text without passes has no pipelines and no functions.
Result<TestText> readTestText(mlir::MLIRContext &context, const std::string &path);

} // namespace tilerig::meaning
