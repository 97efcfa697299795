// A model through the compiler's import, passes and export.
#pragma once

#include "isa/Support/Error.h"

#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/MLIRContext.h>
#include <mlir/IR/OwningOpRef.h>
#include <onnx/onnx_pb.h>
#include <string>

namespace tilerig::meaning {

// Files that the compiler reads and writes lie here while a test runs.
class Scratch {
public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch &) = delete;
  std::string file(const std::string &name) const { return folder + "/" + name; }

private:
  std::string folder;
};

class Compiled {
public:
  explicit Compiled(const Scratch &scratch)
      : scratch(scratch), context(mlir::MLIRContext::Threading::DISABLED) {}

  Status import(const onnx::ModelProto &model);
  // The model after these passes, serialised. What was imported stays as it is.
  Result<std::string> after(const std::string &pipeline);

private:
  const Scratch &scratch;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace tilerig::meaning
