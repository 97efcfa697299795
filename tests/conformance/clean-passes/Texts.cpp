#include "tests/conformance/clean-passes/Texts.h"

#include "compiler/Layer/IR/Layer.h"
#include "isa/Base/Support/File.h"

#include <llvm/Support/raw_ostream.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Parser/Parser.h>
#include <mlir/Pass/PassManager.h>
#include <mlir/Pass/PassRegistry.h>

namespace tilerig::meaning {
using namespace compiler;

namespace {

using Module = mlir::OwningOpRef<mlir::ModuleOp>;

// Adds the pass or pipeline that a flag names, such as "-fuse-functions=rounds-last". Returns false for other
// flags.
Result<bool> addFlag(llvm::StringRef word, mlir::OpPassManager &manager) {
  const auto [flag, options] = word.ltrim('-').split('=');
  const mlir::PassRegistryEntry *entry = mlir::PassInfo::lookup(flag);
  if (!entry)
    entry = mlir::PassPipelineInfo::lookup(flag);
  if (!entry)
    return false;
  std::string problem;
  const auto fail = [&](const llvm::Twine &message) {
    problem = message.str();
    return mlir::failure();
  };
  if (mlir::failed(entry->addToPipeline(manager, options.trim('"'), fail)))
    return internalError(word.str(), problem);
  return true;
}

// The pass pipeline of a RUN line; empty if the line runs no passes on the text, or expects tilerig-opt to
// fail.
Result<std::string> pipelineOf(llvm::StringRef line) {
  if (!line.consume_front("// RUN: tilerig-opt %s "))
    return std::string();
  llvm::SmallVector<llvm::StringRef> words;
  line.take_until([](char letter) { return letter == '|' || letter == '>'; }).split(words, ' ', -1, false);
  mlir::OpPassManager manager("builtin.module", mlir::OpPassManager::Nesting::Implicit);
  for (const llvm::StringRef word : words)
    TILERIG_CHECK_OK(addFlag(word, manager));
  if (manager.empty())
    return std::string();
  std::string text;
  llvm::raw_string_ostream stream(text);
  manager.printAsTextualPipeline(stream);
  llvm::StringRef passes(text);
  passes.consume_front("builtin.module(");
  return passes.drop_back().str();
}

bool isOfLayers(mlir::ModuleOp module) {
  return module
      .walk([](mlir::Operation *operation) {
        return llvm::isa<layer::LayerDialect>(operation->getDialect()) ? mlir::WalkResult::interrupt()
                                                                       : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

std::string alone(mlir::func::FuncOp function) {
  Module module = mlir::ModuleOp::create(function.getLoc());
  mlir::func::FuncOp copy = function.clone();
  copy.setName("main");
  module->push_back(copy);
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, mlir::OpPrintingFlags().enableDebugInfo());
  return text;
}

} // namespace

Result<TestText> readTestText(mlir::MLIRContext &context, const std::string &path) {
  TILERIG_TRY(const std::string text, readText(path));
  TestText result;
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n');
  for (const llvm::StringRef line : lines) {
    TILERIG_TRY(const std::string pipeline, pipelineOf(line));
    if (!pipeline.empty() && !llvm::is_contained(result.pipelines, pipeline))
      result.pipelines.push_back(pipeline);
  }
  if (result.pipelines.empty())
    return result;
  llvm::SmallVector<llvm::StringRef> chunks; // one MLIR module for each function of the text
  llvm::StringRef(text).split(chunks, "// -----\n");
  for (const llvm::StringRef chunk : chunks) {
    Module module = mlir::parseSourceString<mlir::ModuleOp>(chunk, &context);
    if (!module)
      return invalidInput(path, "is no valid text");
    result.isGraph &= !isOfLayers(*module);
    for (auto function : module->getOps<mlir::func::FuncOp>())
      result.functions.emplace_back(function.getName().str(), alone(function));
  }
  return result;
}

} // namespace tilerig::meaning
