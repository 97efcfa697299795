// From levels `graph` and `layer` back to ONNX, in operator set 21 (IR version 10), or 24 (12) for Swish.
//
// What is written means what the module means, operation by operation; names of nodes and tensors are those
// of the locations, as far as they are still unique. A tensor of the file that a layer gives holds what the
// device stores.
#pragma once

#include "isa/Support/Error.h"

#include <llvm/ADT/DenseMap.h>
#include <mlir/IR/BuiltinOps.h>
#include <onnx/onnx_pb.h>
#include <string>

namespace tilerig {

enum class OnnxForm {
  exact, // the device's arithmetic, as the oracle states it
  // Float operators between QuantizeLinear and DequantizeLinear, as other tools take quantised models: every
  // tensor of 8 bits is what a QuantizeLinear gives, or a constant, and is read by DequantizeLinear. In
  // operator set 17 where that has the operators.
  qdq,
};

// The tensor of a written model that holds a value. Axis i of it is axis order[i] of the value.
struct ExportedTensor {
  std::string name;
  llvm::SmallVector<int64_t> order;
};

// A module as ONNX, and where its values are in that.
struct ExportedModel {
  onnx::ModelProto proto;
  llvm::DenseMap<mlir::Value, ExportedTensor> tensors;
  // Of products with an epilogue: the sum before addend and function.
  llvm::DenseMap<mlir::Operation *, std::string> sums;
};

Result<ExportedModel> exported(mlir::ModuleOp module, OnnxForm form = OnnxForm::exact);
Status writeModel(const onnx::ModelProto &model, const std::string &path);

inline Status exportModel(mlir::ModuleOp module, const std::string &path, OnnxForm form = OnnxForm::exact) {
  TRY(const ExportedModel model, exported(module, form));
  return writeModel(model.proto, path);
}

} // namespace tilerig
