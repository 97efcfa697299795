// Exports modules at level `graph` or `layer` as ONNX: operator set 21 (IR version 10), or 24 (IR version 12)
// if an operator occurs that set 21 does not have, such as Swish.
//
// The model computes exactly what the module computes, operation by operation. Names of nodes and tensors
// come from the locations, made unique where necessary. A tensor that is the result of a layer has the
// element type that the device stores.
#pragma once

#include "compiler/Export/ExternalConstants.h"
#include "isa/Base/Support/Error.h"

#include <llvm/ADT/DenseMap.h>
#include <mlir/IR/BuiltinOps.h>
#include <onnx/onnx_pb.h>
#include <string>

namespace tilerig::compiler {

enum class OnnxForm {
  // The exported model has integer operators, which compute exactly what the device computes.
  exact,
  // The exported model has float operators between QuantizeLinear and DequantizeLinear, the form of quantised
  // models that other tools accept: every 8-bit tensor is a constant or the result of a QuantizeLinear, and
  // only DequantizeLinear reads it. Written in operator set 17 if that set has all operators of the model.
  qdq,
};

// The tensor of an exported model that holds a value. Axis i of the tensor is axis order[i] of the value.
struct ExportedTensor {
  std::string name;
  llvm::SmallVector<int64_t> order;
};

// The tensors of an exported model that hold the values of a module.
struct TensorNames {
  llvm::DenseMap<mlir::Value, ExportedTensor> tensors;
  std::vector<std::string> outputs; // names of the model's outputs, in order
  // For each convolution or matrix product with an addend or a function: the name of the tensor that holds
  // the sum of products before the addend is added and the function applied.
  llvm::DenseMap<mlir::Operation *, std::string> sums;
};

// The ONNX model to which a module was exported.
struct ExportedModel : TensorNames {
  onnx::ModelProto proto;
  std::vector<ExternalConstant>
      external; // they read constants of the module when they are asked for elements
};

Result<ExportedModel> exported(mlir::ModuleOp module, OnnxForm form = OnnxForm::exact,
                               ConstantStorage data = ConstantStorage::internal);
// The names that the tensors of the exported ONNX model would have, without the cost of exporting constants.
Result<TensorNames> exportedNames(mlir::ModuleOp module);
// Writes the model to a file. If it would have more than `mostBytes` bytes, external constants go to a second
// file, with ".data" behind the name of the first.
Status writeModel(const ExportedModel &model, const std::string &path, uint64_t mostBytes = INT32_MAX);

inline Status exportModel(mlir::ModuleOp module, const std::string &path, OnnxForm form = OnnxForm::exact) {
  TILERIG_TRY(const ExportedModel model, exported(module, form, ConstantStorage::external));
  return writeModel(model, path);
}

} // namespace tilerig::compiler
