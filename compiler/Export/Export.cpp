#include "compiler/Export/Export.h"

#include "compiler/Dialect/Graph/Shapes.h"
#include "compiler/Export/Operations.h"
#include "compiler/Import/Constants.h"
#include "compiler/Import/Import.h"
#include "isa/Support/File.h"

#include <fmt/core.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>

namespace tilerig {

namespace {

constexpr int64_t writtenOpset = 21, writtenIr = 10;

void declare(onnx::ValueInfoProto &info, const std::string &name, mlir::Type type) {
  info.set_name(name);
  onnx::TypeProto::Tensor &tensor = *info.mutable_type()->mutable_tensor_type();
  const auto ranked = llvm::cast<mlir::RankedTensorType>(type);
  tensor.set_elem_type(onnxNumber(*dtypeOfElement(ranked.getElementType())));
  tensor.mutable_shape(); // a scalar has an empty one
  for (int64_t size : ranked.getShape())
    tensor.mutable_shape()->add_dim()->set_dim_value(size);
}

std::string attributeName(mlir::DictionaryAttr attributes, const std::string &otherwise) {
  const auto name = attributes ? attributes.getAs<mlir::StringAttr>(nameAttribute) : mlir::StringAttr();
  return name ? name.str() : otherwise;
}

class Exporter {
public:
  explicit Exporter(onnx::GraphProto &graph) : graph(graph), writer(graph) {}

  Status write(mlir::func::FuncOp function) {
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      const std::string name = attributeName(function.getArgAttrDict(i), fmt::format("input{}", i));
      declare(*graph.add_input(), name, function.getArgument(i).getType());
      writer.setName(function.getArgument(i), name);
    }
    auto result = llvm::cast<mlir::func::ReturnOp>(function.getBody().front().getTerminator());
    nameResults(function, result);
    for (mlir::Operation &operation : function.getBody().front().without_terminator()) {
      if (auto constant = llvm::dyn_cast<graph::ConstantOp>(operation))
        writeConstant(constant);
      else if (!writeOperation(&operation, writer))
        return unsupported(
            nodeName(operation.getLoc()),
            fmt::format("ONNX has no operator for {}", operation.getName().getStringRef().str()));
    }
    writeResults(function, result);
    return success();
  }

private:
  // Results have their names from the start; one that is an argument, a constant, or another result as well
  // gets its name by a node of its own.
  void nameResults(mlir::func::FuncOp function, mlir::func::ReturnOp result) {
    for (unsigned i = 0; i < result.getNumOperands(); ++i) {
      const mlir::Value value = result.getOperand(i);
      const std::string name = attributeName(function.getResultAttrDict(i), fmt::format("output{}", i));
      const bool isComputed = value.getDefiningOp() && !value.getDefiningOp<graph::ConstantOp>();
      if (isComputed && named.insert(value).second)
        writer.setName(value, name);
      else
        writer.freshName(name);
    }
  }
  void writeResults(mlir::func::FuncOp function, mlir::func::ReturnOp result) {
    for (unsigned i = 0; i < result.getNumOperands(); ++i) {
      const std::string name = attributeName(function.getResultAttrDict(i), fmt::format("output{}", i));
      declare(*graph.add_output(), name, result.getOperand(i).getType());
      if (const std::string own = writer.nameOf(result.getOperand(i)); own != name)
        writer.addNode("Identity", "result " + name, {own}, name);
    }
  }
  void writeConstant(graph::ConstantOp constant) {
    writer.addInitialiser(tensorOf(constant.getValue()), writer.nameOf(constant.getOutput()));
  }

  onnx::GraphProto &graph;
  ModelWriter writer;
  llvm::DenseSet<mlir::Value> named;
};

} // namespace

Status exportModel(mlir::ModuleOp module, const std::string &path) {
  auto function = module.lookupSymbol<mlir::func::FuncOp>("main");
  if (!function)
    return invalidInput(path, "the module has no function 'main'");
  onnx::ModelProto model;
  model.set_ir_version(writtenIr);
  model.set_producer_name("tilerig");
  model.add_opset_import()->set_version(writtenOpset);
  model.mutable_graph()->set_name(module.getName().value_or("main").str());
  CHECK_OK(Exporter(*model.mutable_graph()).write(function));
  std::string bytes;
  if (!model.SerializeToString(&bytes))
    return unsupported(path, "the model is larger than a protobuf may be");
  return writeText(path, bytes);
}

} // namespace tilerig
