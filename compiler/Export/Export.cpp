#include "compiler/Export/Export.h"

#include "compiler/Export/Layers.h"
#include "compiler/Export/OlderOpset.h"
#include "compiler/Export/Operations.h"
#include "compiler/Graph/IR/Graph.h"
#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/Layer/IR/DequantisedOutput.h"
#include "compiler/Layer/IR/Layer.h"
#include "compiler/Layer/IR/Types.h"
#include "isa/Base/Support/File.h"

#include <fmt/core.h>
#include <llvm/ADT/Sequence.h>
#include <map>
#include <mlir/Dialect/Func/IR/FuncOps.h>

namespace tilerig::compiler {

namespace {

constexpr int64_t writtenOpset = 21, writtenIr = 10;
// The oldest operator set of ONNX that has all operators of `newerOperators`, and the IR version of that set. It
// is declared only for models that contain one of them; all other models declare set 21.
constexpr int64_t newerOpset = 24, newerIr = 12;
constexpr llvm::StringLiteral newerOperators[] = {"Attention", "RMSNormalization", "RotaryEmbedding", "Swish",
                                                  "TensorScatter"};

void declare(onnx::ValueInfoProto &info, const std::string &name, mlir::Type type) {
  info.set_name(name);
  onnx::TypeProto::Tensor &tensor = *info.mutable_type()->mutable_tensor_type();
  const auto ranked = llvm::cast<mlir::RankedTensorType>(type);
  tensor.set_elem_type(onnxNumber(storedAs(ranked.getElementType())));
  tensor.mutable_shape(); // ONNX takes an empty shape for that of a scalar, a missing one for an unknown rank
  for (int64_t size : ranked.getShape()) {
    onnx::TensorShapeProto::Dimension &dimension = *tensor.mutable_shape()->add_dim();
    if (!mlir::ShapedType::isDynamic(size)) // a dimension known only at run time is written without a size
      dimension.set_dim_value(size);
  }
}

std::string attributeName(mlir::DictionaryAttr attributes, const std::string &otherwise) {
  const auto name = attributes ? attributes.getAs<mlir::StringAttr>(nameAttribute) : mlir::StringAttr();
  return name ? name.str() : otherwise;
}

class Exporter {
public:
  Exporter(ExportedModel &model, OnnxForm form, ConstantStorage data)
      : model(model), graph(*model.proto.mutable_graph()), form(form), writer(graph, data), names(writer) {}

  Status write(mlir::func::FuncOp function) {
    keepNames(function);
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      const std::string name = attributeName(function.getArgAttrDict(i), fmt::format("input{}", i));
      declare(*graph.add_input(), name, function.getArgument(i).getType());
      writer.setName(function.getArgument(i), name);
    }
    auto result = llvm::cast<mlir::func::ReturnOp>(function.getBody().front().getTerminator());
    nameResults(function, result);
    keepOrdersOfHost(function);
    for (mlir::Operation &operation : function.getBody().front().without_terminator()) {
      writeLayersReadBy(operation);
      if (auto constant = llvm::dyn_cast<graph::ConstantOp>(operation))
        writer.addInitialiserFrom([attribute = constant.getValue()] { return tensorOf(attribute); },
                                  constant.getType(), writer.nameOf(constant.getOutput()));
      else if (!llvm::isa<layer::ConstantOp>(operation) && !writeOperation(&operation, writer) &&
               !writeLayer(&operation, writer, names, form))
        return unsupported(
            nodeName(operation.getLoc()),
            fmt::format("ONNX has no operator for {}", operation.getName().getStringRef().str()));
      if (auto opaque = llvm::dyn_cast<graph::OpaqueOp>(operation))
        declareOpaque(opaque);
    }
    writeResults(function, result);
    tell(function);
    model.external = writer.takeExternal();
    return success();
  }

  const std::map<std::string, int64_t> &foreignDomains() const { return writer.foreignDomains(); }

private:
  // Writes what an operation of level `graph` reads of level `layer`: constants, and results of layers that
  // exist only in another axis order so far. Such operands occur only in modules whose layers are not all
  // formed yet. Layers write what they read themselves, each in the axis order in which they read it.
  void writeLayersReadBy(mlir::Operation &operation) {
    if (llvm::isa<graph::GraphDialect>(operation.getDialect()))
      for (const mlir::Value operand : operation.getOperands())
        if (operand.getDefiningOp() &&
            llvm::isa<layer::LayerDialect>(operand.getDefiningOp()->getDialect())) {
          names.home(operand);
          writer.setName(operand, names.in(operand, identityOrder(graph::shapeOf(operand).size())));
        }
  }

  void keepNames(mlir::func::FuncOp function) {
    for (mlir::Operation &operation : function.getBody().front().without_terminator())
      for (const mlir::Value result : operation.getResults())
        if (const auto origin = graph::tensorOrigin(result))
          writer.keepForModel(origin->name);
  }

  // Gives each value that the function returns the name of the model's output. That is impossible for
  // arguments, constants, values that are returned twice, and values that the host dequantises. For these the
  // name is reserved for an extra node, which copies or dequantises the value.
  void nameResults(mlir::func::FuncOp function, mlir::func::ReturnOp result) {
    for (unsigned i = 0; i < result.getNumOperands(); ++i) {
      const mlir::Value value = result.getOperand(i);
      const std::string name = attributeName(function.getResultAttrDict(i), fmt::format("output{}", i));
      const bool isComputed =
          value.getDefiningOp() && !value.getDefiningOp()->hasTrait<mlir::OpTrait::ConstantLike>();
      if (isComputed && !layer::dequantisedOutput(function, i) && sizesOf(function, i).empty() &&
          named.insert(value).second) {
        writer.setName(value, name);
        // The value is exported in the axis order of the model's output, even if the value also holds a
        // tensor of the model with another order.
        names.setHome(value, identityOrder(graph::shapeOf(value).size()));
      } else
        writer.freshName(name);
    }
  }
  // Host kernels see a value's axes in their actual order and do not know the model's order. So tensors that
  // they read or write are exported, and named in programs, in that actual order.
  void keepOrdersOfHost(mlir::func::FuncOp function) {
    const auto keepOrder = [&](mlir::Value value) {
      names.setHome(value, identityOrder(graph::shapeOf(value).size()));
    };
    function.walk([&](layer::HostOp host) {
      llvm::for_each(host.getInputs(), keepOrder);
      llvm::for_each(host.getOutputs(), keepOrder);
    });
  }
  void writeResults(mlir::func::FuncOp function, mlir::func::ReturnOp result) {
    for (unsigned i = 0; i < result.getNumOperands(); ++i) {
      const std::string name = attributeName(function.getResultAttrDict(i), fmt::format("output{}", i));
      if (isSizes(function, name))
        continue;
      const std::string sizes = sizesOf(function, i);
      const std::string whole = sizes.empty() ? name : writer.freshName(name + ".bound");
      auto type = llvm::cast<mlir::RankedTensorType>(result.getOperand(i).getType());
      if (const auto dequantised = layer::dequantisedOutput(function, i))
        type = writeDequantised(result.getOperand(i), *dequantised, whole);
      else if (const std::string own = names.home(result.getOperand(i)); own != whole)
        writer.addNode("Identity", "result " + whole, {own}, whole);
      if (!sizes.empty()) {
        writeCut(whole, type.getRank(), sizes, name);
        type = mlir::RankedTensorType::get(
            llvm::SmallVector<int64_t>(type.getRank(), mlir::ShapedType::kDynamic), type.getElementType());
      }
      declare(*graph.add_output(), name, type);
    }
  }

  // The name of the result that has the sizes of a result; empty if its shape does not depend on data.
  static std::string sizesOf(mlir::func::FuncOp function, unsigned result) {
    const auto sizes = function.getResultAttrOfType<mlir::StringAttr>(result, sizesAttribute);
    return sizes ? sizes.str() : std::string();
  }
  static bool isSizes(mlir::func::FuncOp function, const std::string &name) {
    return llvm::any_of(llvm::seq(function.getNumResults()),
                        [&](unsigned i) { return sizesOf(function, i) == name; });
  }
  // Writes the node that cuts a tensor to the sizes that an output has in a run.
  void writeCut(const std::string &whole, int64_t rank, const std::string &sizes, const std::string &name) {
    const llvm::SmallVector<int64_t> starts(static_cast<size_t>(rank), 0);
    writer.addNode("Slice", "result " + name, {whole, writer.addInts(starts, name + ".starts"), sizes}, name);
  }

  // Writes the nodes that compute an output of the model from a quantised value. The value is dequantised
  // first, and Reshape and Transpose are applied to the reals: form `qdq` allows no other node between a
  // QuantizeLinear and its DequantizeLinear. Returns the type of the output.
  mlir::RankedTensorType writeDequantised(mlir::Value value, const layer::DequantisedOutput &output,
                                          const std::string &name) {
    const auto [stored, order] = names.anywhere(value);
    const bool isReshaped = graph::shapeOf(value) != llvm::ArrayRef(output.shape);
    const Order first = isReshaped ? identityOrder(order.size()) : Order(output.order);
    const bool isMoved = llvm::ArrayRef(first) != llvm::ArrayRef(order);
    const bool isMovedAgain = isReshaped && !isIdentity(output.order);
    std::string reals = stored;
    const auto add = [&](llvm::StringRef operation, std::vector<std::string> operands,
                         bool isLast) -> auto & {
      operands.insert(operands.begin(), reals);
      reals = isLast ? name : writer.freshName(fmt::format("{}.{}", name, operation.lower()));
      return writer.addNode(operation, "result " + reals, operands, reals);
    };
    const auto type = llvm::cast<mlir::quant::UniformQuantizedType>(layer::elementOf(value));
    Tensor zeroPoint(storedAs(type), {});
    zeroPoint.mutableBytes()[0] = static_cast<std::byte>(type.getZeroPoint());
    add("DequantizeLinear",
        {writer.addConstant(Tensor::scalar(static_cast<float>(type.getScale())), name + ".scale"),
         writer.addConstant(zeroPoint, name + ".zero_point")},
        !isMoved && !isReshaped);
    if (isMoved)
      setAttribute(add("Transpose", {}, !isReshaped), "perm", between(order, first));
    if (isReshaped)
      add("Reshape", {writer.addInts(output.shape, name + ".shape")}, !isMovedAgain);
    if (isMovedAgain)
      setAttribute(add("Transpose", {}, true), "perm", output.order);
    llvm::SmallVector<int64_t> shape;
    for (const int64_t axis : output.order)
      shape.push_back(output.shape[static_cast<size_t>(axis)]);
    return mlir::RankedTensorType::get(shape, mlir::Float32Type::get(value.getContext()));
  }

  // Declares the types of an opaque operation's results, for tools that do not know the operator.
  void declareOpaque(graph::OpaqueOp opaque) {
    for (mlir::Value result : opaque.getOutputs())
      declare(*graph.add_value_info(), writer.nameOf(result), result.getType());
    if (!opaque.getDomain().empty() && opaque.getDomain() != graph::partDomain)
      writer.useDomain(opaque.getDomain().str(), static_cast<int64_t>(opaque.getVersion()));
  }

  void tell(mlir::func::FuncOp function) {
    for (const onnx::ValueInfoProto &output : graph.output())
      model.outputs.push_back(output.name());
    for (const mlir::Value argument : function.getArguments())
      model.tensors[argument] = {writer.nameOf(argument), identityOrder(graph::shapeOf(argument).size())};
    for (mlir::Operation &operation : function.getBody().front().without_terminator()) {
      for (const mlir::Value result : operation.getResults()) {
        const auto [name, order] = names.anywhere(result);
        model.tensors[result] = {name, order};
      }
      if (const std::string sum = names.sumOf(&operation); !sum.empty())
        model.sums[&operation] = sum;
    }
  }

  ExportedModel &model;
  onnx::GraphProto &graph;
  OnnxForm form;
  ModelWriter writer;
  OrderedNames names;
  llvm::DenseSet<mlir::Value> named;
};

} // namespace

namespace {

// Makes node names unique: several nodes may come from one node of the model, and runtimes require unique
// names.
void nameApart(onnx::GraphProto &graph) {
  llvm::StringMap<unsigned> counts;
  for (onnx::NodeProto &node : *graph.mutable_node()) {
    const std::string wanted = node.name();
    for (unsigned &count = counts[wanted]; count > 0 && counts.contains(node.name()); ++count)
      node.set_name(fmt::format("{}_{}", wanted, count));
    ++counts[node.name()];
  }
}

bool containsNewer(const onnx::GraphProto &graph) {
  return llvm::any_of(graph.node(), [](const onnx::NodeProto &node) {
    return (node.domain().empty() && llvm::is_contained(newerOperators, node.op_type())) ||
           llvm::any_of(node.attribute(), [](const onnx::AttributeProto &attribute) {
             return attribute.has_g() && containsNewer(attribute.g());
           });
  });
}

// Declares the oldest operator set that has all operators of the model, as not every tool supports the
// newest.
void declareVersions(onnx::ModelProto &model) {
  const bool isNewer = containsNewer(model.graph());
  model.mutable_opset_import(0)->set_version(isNewer ? newerOpset : writtenOpset);
  model.set_ir_version(isNewer ? newerIr : writtenIr);
}

} // namespace

Result<ExportedModel> exported(mlir::ModuleOp module, OnnxForm form, ConstantStorage data) {
  const std::string name = module.getName().value_or("main").str();
  auto function = module.lookupSymbol<mlir::func::FuncOp>("main");
  if (!function)
    return invalidInput(name, "the module has no function 'main'");
  ExportedModel model;
  model.proto.set_producer_name("tilerig");
  model.proto.add_opset_import(); // declareVersions() sets the version of this operator set at the end
  model.proto.mutable_graph()->set_name(name);
  Exporter exporter(model, form, data);
  TILERIG_CHECK_OK(exporter.write(function));
  for (const auto &[domain, version] : exporter.foreignDomains()) {
    onnx::OperatorSetIdProto &import = *model.proto.add_opset_import();
    import.set_domain(domain);
    import.set_version(version);
  }
  nameApart(*model.proto.mutable_graph());
  declareVersions(model.proto);
  if (form == OnnxForm::qdq)
    useOlderOpset(model.proto);
  return model;
}

Result<TensorNames> exportedNames(mlir::ModuleOp module) {
  TILERIG_TRY(ExportedModel model, exported(module, OnnxForm::exact, ConstantStorage::omitted));
  return static_cast<TensorNames &&>(std::move(model));
}

Status writeModel(const ExportedModel &model, const std::string &path, uint64_t mostBytes) {
  onnx::ModelProto written = model.proto;
  uint64_t bytes = written.ByteSizeLong();
  for (const ExternalConstant &constant : model.external)
    bytes += constant.bytes;
  if (bytes <= mostBytes)
    putInModel(written, model.external);
  else
    TILERIG_CHECK_OK(putInFile(written, model.external, path + ".data"));
  std::string text;
  if (!written.SerializeToString(&text))
    return unsupported(
        path, "the model is larger than 2 GiB, the limit of protobuf, even without its large constants");
  return writeText(path, text);
}

} // namespace tilerig::compiler
