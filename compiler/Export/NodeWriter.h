// Writes ONNX nodes, initialisers and attributes, and assigns names to them.
#pragma once

#include "compiler/Export/ExternalConstants.h"
#include "compiler/Graph/IR/Origins.h"
#include "isa/Base/Tensor/Tensor.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringSet.h>
#include <onnx/onnx_pb.h>
#include <string>

namespace tilerig::compiler {

using graph::nodeName;
using graph::resultName;

// The type in which ONNX tensors store elements of an MLIR type; quantised elements are stored as integers.
DType storedAs(mlir::Type element);

// The ONNX graph that is being written, and the names of its tensors.
class ModelWriter {
public:
  ModelWriter(onnx::GraphProto &graph, ConstantStorage data) : graph(graph), data(data) {}

  // Name of the tensor that holds a value; empty for a null value.
  std::string nameOf(mlir::Value value);
  void setName(mlir::Value value, const std::string &name);
  bool isNamed(mlir::Value value) const { return names.contains(value); }
  // A tensor or node name that is not yet in use: `wanted`, or if that is in use, `wanted` with a number
  // appended. A name with a number also differs from the names of all tensors of the original ONNX model.
  std::string freshName(const std::string &wanted);
  void keepForModel(const std::string &name) { ofModel.insert(name); }
  void addInitialiser(const Tensor &tensor, const std::string &name);
  // Adds the tensor that `elements` returns, which has type `type`, as an initialiser. If its bytes go into the
  // model, calls `elements` now; if they go into a file of their own, when that is written, if ever.
  void addInitialiserFrom(std::function<Tensor()> elements, mlir::RankedTensorType type,
                          const std::string &name);
  // The initialisers whose bytes are not in the model, in the order of their names in it.
  std::vector<ExternalConstant> takeExternal() { return std::move(external); }
  // Adds an initialiser under a fresh name, which is returned.
  std::string addInitialiser(const onnx::TensorProto &tensor, const std::string &wanted);
  std::string addConstant(const Tensor &tensor, const std::string &wanted);
  std::string addInts(llvm::ArrayRef<int64_t> values, const std::string &wanted);
  std::string addInt(int64_t value, const std::string &wanted);
  std::string addFloats(llvm::ArrayRef<float> values, const std::string &wanted);

  // Adds the node that computes the results of an operation.
  onnx::NodeProto &addNode(llvm::StringRef type, mlir::Operation *operation,
                           llvm::ArrayRef<std::string> inputs);
  // Adds an intermediate node, whose single result does not belong to any value of the module.
  onnx::NodeProto &addNode(llvm::StringRef type, const std::string &name, llvm::ArrayRef<std::string> inputs,
                           const std::string &output);

  // Adds a complete ONNX node without changing it.
  void addNode(onnx::NodeProto node) { *graph.add_node() = std::move(node); }

  // Records that the model has operators of a domain other than ONNX's own, and of which version.
  void useDomain(const std::string &domain, int64_t version) { domains[domain] = version; }
  const std::map<std::string, int64_t> &foreignDomains() const { return domains; }

private:
  onnx::GraphProto &graph;
  ConstantStorage data;
  std::vector<ExternalConstant> external;
  llvm::DenseMap<mlir::Value, std::string> names;
  llvm::StringMap<unsigned> taken;
  llvm::StringSet<> ofModel;
  std::map<std::string, int64_t> domains;
};

void setAttribute(onnx::NodeProto &node, const std::string &name, int64_t value);
void setAttribute(onnx::NodeProto &node, const std::string &name, float value);
void setAttribute(onnx::NodeProto &node, const std::string &name, llvm::StringRef value);
void setAttribute(onnx::NodeProto &node, const std::string &name, llvm::ArrayRef<int64_t> values);
void setAttribute(onnx::NodeProto &node, const std::string &name, llvm::ArrayRef<float> values);
void setAttribute(onnx::NodeProto &node, const std::string &name, mlir::ArrayAttr texts);
void setAttribute(onnx::NodeProto &node, const std::string &name, const Tensor &value);

} // namespace tilerig::compiler
