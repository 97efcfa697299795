#include "tests/conformance/random-graphs/Compiled.h"

#include "compiler/Export/Export.h"
#include "compiler/Graph/Import/Import.h"
#include "isa/Base/Support/File.h"

#include <filesystem>
#include <fmt/core.h>
#include <llvm/Support/raw_ostream.h>
#include <mlir/IR/Diagnostics.h>
#include <mlir/Pass/PassManager.h>
#include <mlir/Pass/PassRegistry.h>
#include <unistd.h>

namespace tilerig::meaning {
using namespace compiler;

namespace {

// Whether the diagnostics report an operation that the accelerator, or both accelerator and host, do not
// support. This is a limit of the compiler and no fault. A diagnostic of a `layer` operation ("'layer.")
// comes from its verifier and is a fault.
bool isRefusedByLayers(const std::string &said) {
  const auto says = [&](const char *phrase) { return said.find(phrase) != std::string::npos; };
  return (says("not supported by the accelerator") ||
          says("neither the accelerator nor the host supports")) &&
         !says("'layer.");
}

} // namespace

Scratch::Scratch()
    : folder(
          (std::filesystem::temp_directory_path() / fmt::format("tilerig-meaning-{}", getpid())).string()) {
  std::filesystem::create_directories(folder);
}
Scratch::~Scratch() {
  std::error_code ignored; // an error of deleting the folder is ignored, since a destructor cannot report it
  std::filesystem::remove_all(folder, ignored);
}

Status Compiled::import(const onnx::ModelProto &model) {
  const std::string path = scratch.file("model.onnx");
  TILERIG_CHECK_OK(writeText(path, model.SerializeAsString()));
  TILERIG_TRY(const OnnxFile file, OnnxFile::read(path));
  TILERIG_TRY(module, importModel(context, file, {}));
  return success();
}

Result<std::string> Compiled::after(const std::string &pipeline) {
  mlir::OwningOpRef<mlir::ModuleOp> copy = module->clone();
  std::string said;
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) { said += diagnostic.str() + "; "; });
  llvm::raw_string_ostream stream(said);
  mlir::PassManager manager(&context);
  if (mlir::failed(mlir::parsePassPipeline(pipeline, manager, stream)))
    return internalError(pipeline, said);
  if (mlir::failed(manager.run(*copy)))
    return isRefusedByLayers(said) ? unsupported("passes", said) : internalError("passes", said);
  const std::string path = scratch.file("made.onnx");
  TILERIG_CHECK_OK(exportModel(*copy, path));
  return readText(path);
}

} // namespace tilerig::meaning
