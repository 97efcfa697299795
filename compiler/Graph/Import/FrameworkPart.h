// Builds a part of the model that consists of several ONNX nodes and runs in the framework as one layer: an opaque
// operation of the domain "tilerig" whose attribute `graph` has the nodes. Between its nodes, tensors may have sizes
// that are known only at run time; its operands and results are held at their bounds (OpenTensors.h).
#pragma once

#include "compiler/Graph/Import/OpenTensors.h"

#include <onnx/onnx_pb.h>

namespace tilerig::compiler {

class FrameworkPart {
public:
  FrameworkPart(const NodeReader &node, mlir::OpBuilder &builder, const OpenTensors &open)
      : node(node), builder(builder), open(open) {}

  // Each returns the name of a tensor inside the part.

  // The tensor that a value holds, with the sizes that it has at run time. `name` is its name inside.
  std::string input(mlir::Value value, const std::string &name = {});
  std::string ints(llvm::ArrayRef<int64_t> values);
  // A list with one size, and with several.
  std::string size(const Size &size);
  std::string sizes(llvm::ArrayRef<Size> sizes);
  std::string add(const std::string &type, llvm::ArrayRef<std::string> inputs,
                  llvm::ArrayRef<std::pair<std::string, int64_t>> integers = {});
  // Adds the nodes and initialisers of another graph as they are.
  void add(const onnx::GraphProto &other);

  // The tensor `name`, whose sizes are at most those of `type`, as a tensor of this type. The named axes, which may be
  // shorter at run time, are filled with copies of their last element; with zeros if they have none.
  std::string filled(const std::string &name, mlir::RankedTensorType type, llvm::ArrayRef<int64_t> axes);
  // Makes the tensor a result of the part.
  void result(const std::string &name, mlir::RankedTensorType type);

  // Creates the operation. Its operator is named `operatorName` in reports.
  Result<Values> create(const std::string &operatorName);

private:
  std::string fresh() { return "part." + std::to_string(numNames++); }
  std::string captured(mlir::Value value);
  std::string symbol(unsigned index);
  std::string scalar(int64_t value);
  void guard();
  std::string initialiser(llvm::ArrayRef<int64_t> values, llvm::ArrayRef<int64_t> shape);

  const NodeReader &node;
  mlir::OpBuilder &builder;
  const OpenTensors &open;
  onnx::GraphProto graph;
  size_t numNames = 0;
  llvm::SmallVector<std::pair<mlir::Value, std::string>> captures;
  std::map<unsigned, std::string> symbols;
  std::map<Ints, std::string> constants;
  llvm::SmallVector<mlir::Type> types;
};

} // namespace tilerig::compiler
