// Takes an ONNX model through the compiler's import, a pipeline of passes, and export back to ONNX.
#pragma once

#include "isa/Base/Support/Error.h"

#include <mlir/IR/BuiltinOps.h>
#include <mlir/IR/MLIRContext.h>
#include <mlir/IR/OwningOpRef.h>
#include <onnx/onnx_pb.h>
#include <string>

namespace tilerig::meaning {

// A temporary folder for the files that the compiler reads and writes; deleted by the destructor.
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
  // Runs the passes of `pipeline` on a copy of the imported model and returns the result as a serialised ONNX
  // model. The error kind is `unsupported` if the compiler has no layer for an operator.
  Result<std::string> after(const std::string &pipeline);

private:
  const Scratch &scratch;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace tilerig::meaning
