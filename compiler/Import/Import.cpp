#include "compiler/Import/Import.h"

#include "compiler/Dialect/Graph/Origins.h"
#include "compiler/Import/Constants.h"
#include "compiler/Import/Operators.h"

#include <fmt/core.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/IR/Verifier.h>
#include <set>

namespace tilerig {

namespace {

std::string showNode(const onnx::NodeProto &node, const std::string &name) {
  return fmt::format("node '{}' ({})", name, node.op_type());
}

// Operators whose results nobody could predict.
bool isRandom(const std::string &type) {
  static const std::set<std::string> random = {"RandomNormal",      "RandomUniform", "RandomNormalLike",
                                               "RandomUniformLike", "Multinomial",   "Bernoulli"};
  return random.contains(type);
}

// Operators that are kept as they are, and since when they say what they say today. Others never changed.
int64_t unchangedSince(const std::string &type) {
  static const std::map<std::string, int64_t> versions = {{"DFT", 20},     {"GridSample", 20}, {"OneHot", 11},
                                                          {"Resize", 11},  {"TopK", 11},       {"CumSum", 11},
                                                          {"Scatter", 22}, {"Upsample", 22}};
  const auto found = versions.find(type);
  return found == versions.end() ? 0 : found->second;
}

class ModelImporter {
public:
  ModelImporter(mlir::MLIRContext &context, const OnnxFile &file, const ImportOptions &options)
      : context(context), file(file), graph(file.model().graph()), options(options), builder(&context) {}

  Result<mlir::OwningOpRef<mlir::ModuleOp>> import() {
    mlir::OwningOpRef<mlir::ModuleOp> module =
        mlir::ModuleOp::create(mlir::UnknownLoc::get(&context), graph.name());
    builder.setInsertionPointToEnd(module->getBody());
    CHECK_OK(checkOptions());
    CHECK_OK(collectConstants());
    TRY(mlir::func::FuncOp function, openFunction());
    CHECK_OK(importNodes());
    CHECK_OK(closeFunction(function));
    return module;
  }

private:
  Error refuse(const std::string &what, std::string remedy = {}) const {
    return invalidInput(file.path(), what, std::move(remedy));
  }

  Status checkOptions() const {
    for (const auto &[name, shape] : options.inputShapes) {
      const auto found = std::ranges::find(graph.input(), name, &onnx::ValueInfoProto::name);
      if (found == graph.input().end())
        return usageError("--input-shape", fmt::format("the model has no input '{}'", name));
    }
    return success();
  }

  Status collectConstants() {
    for (const onnx::TensorProto &initialiser : graph.initializer())
      if (!initialisers.emplace(initialiser.name(), &initialiser).second)
        return refuse(fmt::format("initialiser '{}' is there twice", initialiser.name()));
    if (graph.sparse_initializer_size() > 0)
      return unsupported(file.path(), "sparse initialisers", "store them as dense tensors");
    return success();
  }

  Result<mlir::RankedTensorType> inputType(const onnx::ValueInfoProto &input) const {
    const onnx::TypeProto::Tensor &type = input.type().tensor_type();
    const auto element = dtypeOfOnnx(type.elem_type());
    if (!input.type().has_tensor_type() || !element)
      return unsupported(file.path(), fmt::format("input '{}' is no tensor of numbers", input.name()));
    const auto given = options.inputShapes.find(input.name());
    Shape shape;
    if (given != options.inputShapes.end()) {
      shape = given->second;
    } else {
      for (const auto &dimension : type.shape().dim()) {
        if (!dimension.has_dim_value() || dimension.dim_value() <= 0)
          return unsupported(file.path(), fmt::format("input '{}' has no fixed shape", input.name()),
                             fmt::format("give it with --input-shape {}=…", input.name()));
        shape.push_back(dimension.dim_value());
      }
      if (!type.has_shape())
        return unsupported(file.path(), fmt::format("input '{}' has no shape", input.name()),
                           fmt::format("give it with --input-shape {}=…", input.name()));
    }
    TRY([[maybe_unused]] const size_t bytes, sizeBytesOf(*element, shape));
    return mlir::RankedTensorType::get(shape, elementTypeOf(context, *element));
  }

  mlir::Location locationOf(const std::string &name, llvm::ArrayRef<mlir::Location> inside = {}) const {
    const auto identifier = mlir::StringAttr::get(&context, name);
    return inside.empty() ? mlir::NameLoc::get(identifier)
                          : mlir::NameLoc::get(identifier, mlir::FusedLoc::get(&context, inside));
  }

  Result<mlir::func::FuncOp> openFunction() {
    llvm::SmallVector<mlir::Type> types;
    llvm::SmallVector<mlir::Location> locations;
    llvm::SmallVector<std::string> names;
    for (const onnx::ValueInfoProto &input : graph.input()) {
      if (initialisers.contains(input.name())) // older models list their weights as inputs too
        continue;
      TRY(const mlir::RankedTensorType type, inputType(input));
      types.push_back(type);
      locations.push_back(locationOf(input.name()));
      names.push_back(input.name());
    }
    auto function =
        mlir::func::FuncOp::create(builder, locationOf("main"), "main", builder.getFunctionType(types, {}));
    mlir::Block *body = function.addEntryBlock();
    for (size_t i = 0; i < names.size(); ++i) {
      body->getArgument(i).setLoc(locations[i]);
      function.setArgAttr(i, nameAttribute, builder.getStringAttr(names[i]));
      if (!values.emplace(names[i], body->getArgument(i)).second)
        return refuse(fmt::format("input '{}' is there twice", names[i]));
    }
    builder.setInsertionPointToEnd(body);
    return function;
  }

  // The value of a name: defined already, or an initialiser that is now needed for the first time.
  Result<mlir::Value> valueOf(const std::string &name, const std::string &reader) {
    if (const auto found = values.find(name); found != values.end())
      return found->second;
    const auto initialiser = initialisers.find(name);
    if (initialiser == initialisers.end())
      return refuse(fmt::format("{}: reads '{}', which nothing defines before it", reader, name));
    TRY(const Tensor tensor, file.tensor(*initialiser->second, fmt::format("initialiser '{}'", name)));
    const mlir::Value value =
        graph::ConstantOp::create(builder, locationOf(name), attributeOf(context, tensor, name));
    values.emplace(name, value);
    return value;
  }

  Status importNodes() {
    for (int i = 0; i < graph.node_size(); ++i)
      CHECK_OK(importNode(graph.node(i), i));
    return success();
  }

  Status importNode(const onnx::NodeProto &node, int index) {
    const std::string name = node.name().empty() ? fmt::format("{}#{}", node.op_type(), index) : node.name();
    const std::string place = showNode(node, name);
    const auto opset = file.opset(node.domain());
    if (!opset)
      return refuse(
          fmt::format("{}: the model imports no operator set for domain '{}'", place, node.domain()),
          "add the domain to the model's opset_import");
    Values operands;
    for (const std::string &input : node.input()) {
      mlir::Value operand;
      if (!input.empty()) {
        TRY(operand, valueOf(input, place));
      }
      operands.push_back(operand);
    }
    llvm::SmallVector<mlir::Location> results;
    for (int i = 0; i < node.output_size(); ++i) // locations are never there twice, also if names are missing
      results.push_back(node.output(i).empty() ? locationOf("", locationOf(std::to_string(i)))
                                               : locationOf(node.output(i)));
    mlir::Block &body = *builder.getInsertionBlock();
    mlir::Operation *const before = body.empty() ? nullptr : &body.back();
    const NodeReader reader(file, node, place, *opset, operands, builder, locationOf(name, results));
    const bool isStandard = node.domain().empty() || node.domain() == "ai.onnx";
    const Importer *importer = isStandard ? findImporter(node.op_type()) : nullptr;
    if (isStandard && isRandom(node.op_type()))
      return reader.unsupportedHere("random operators have no expected result");
    TRY(const Values made, importer ? (*importer)(reader) : opaque(reader, operands));
    nameResults(before ? std::next(before->getIterator()) : body.begin(), made, results);
    for (int i = 0; i < node.output_size() && i < static_cast<int>(made.size()); ++i)
      if (!node.output(i).empty() && !values.emplace(node.output(i), made[i]).second)
        return refuse(fmt::format("{}: '{}' is defined twice", place, node.output(i)));
    return success();
  }

  // Of the operations that a node became, those that give its results say which; the others are on the way.
  void nameResults(mlir::Block::iterator first, const Values &made, llvm::ArrayRef<mlir::Location> results) {
    for (mlir::Operation &operation : llvm::make_range(first, builder.getInsertionPoint())) {
      if (operation.getNumResults() != 1)
        continue;
      const auto at = llvm::find(made, operation.getResult(0));
      const auto index = static_cast<size_t>(at - made.begin());
      const std::string node = graph::nodeName(operation.getLoc());
      operation.setLoc(index < results.size() ? locationOf(node, results[index]) : locationOf(node));
    }
  }

  Result<mlir::DictionaryAttr> attributesOf(const NodeReader &reader) {
    using Proto = onnx::AttributeProto;
    llvm::SmallVector<mlir::NamedAttribute> all;
    for (const Proto &it : reader.proto().attribute()) {
      mlir::Attribute value;
      switch (it.type()) {
      case Proto::INT:
        value = builder.getI64IntegerAttr(it.i());
        break;
      case Proto::FLOAT:
        value = builder.getF32FloatAttr(it.f());
        break;
      case Proto::STRING:
        value = builder.getStringAttr(it.s());
        break;
      case Proto::INTS:
        value = builder.getDenseI64ArrayAttr(llvm::SmallVector<int64_t>(it.ints().begin(), it.ints().end()));
        break;
      case Proto::FLOATS:
        value =
            builder.getDenseF32ArrayAttr(llvm::SmallVector<float>(it.floats().begin(), it.floats().end()));
        break;
      case Proto::STRINGS:
        value = builder.getStrArrayAttr(
            llvm::SmallVector<llvm::StringRef>(it.strings().begin(), it.strings().end()));
        break;
      case Proto::TENSOR: {
        TRY(const Tensor tensor, reader.tensor(it.t()));
        value = attributeOf(context, tensor, it.name());
        break;
      }
      default:
        return reader.unsupportedHere(
            fmt::format("attribute '{}' is a graph or of an unknown type", it.name()));
      }
      all.push_back(builder.getNamedAttr(it.name(), value));
    }
    return builder.getDictionaryAttr(all);
  }

  // As it is, if the model says what comes out.
  ImportedValues opaque(const NodeReader &reader, const Values &operands) {
    const onnx::NodeProto &node = reader.proto();
    llvm::SmallVector<mlir::Type> types;
    for (const std::string &output : node.output()) {
      const auto info = std::ranges::find(graph.value_info(), output, &onnx::ValueInfoProto::name);
      const auto last = std::ranges::find(graph.output(), output, &onnx::ValueInfoProto::name);
      if (info == graph.value_info().end() && last == graph.output().end())
        return reader.unsupportedHere(
            "the operator is not known, and the model does not say what shape it gives");
      TRY(const mlir::RankedTensorType type, inputType(info != graph.value_info().end() ? *info : *last));
      types.push_back(type);
    }
    if (node.domain().empty() && reader.opset() < unchangedSince(node.op_type()))
      return reader.unsupportedHere(
          fmt::format("the operator as it was before operator set {}", unchangedSince(node.op_type())));
    TRY(const mlir::DictionaryAttr attributes, attributesOf(reader));
    llvm::SmallVector<bool> present;
    Values given;
    for (mlir::Value operand : operands) {
      present.push_back(static_cast<bool>(operand));
      if (operand)
        given.push_back(operand);
    }
    auto made = graph::OpaqueOp::create(builder, reader.place(), types, given, node.domain(), node.op_type(),
                                        attributes, present);
    return Values(made.getResults());
  }

  Status closeFunction(mlir::func::FuncOp function) {
    llvm::SmallVector<mlir::Value> results;
    for (const onnx::ValueInfoProto &output : graph.output()) {
      TRY(const mlir::Value value, valueOf(output.name(), "the model's outputs"));
      results.push_back(value);
    }
    mlir::func::ReturnOp::create(builder, locationOf("return"), results);
    function.setType(
        builder.getFunctionType(function.getArgumentTypes(), mlir::ValueRange(results).getTypes()));
    for (int i = 0; i < graph.output_size(); ++i)
      function.setResultAttr(static_cast<unsigned>(i), nameAttribute,
                             builder.getStringAttr(graph.output(i).name()));
    return success();
  }

  mlir::MLIRContext &context;
  const OnnxFile &file;
  const onnx::GraphProto &graph;
  const ImportOptions &options;
  mlir::OpBuilder builder;
  std::map<std::string, const onnx::TensorProto *> initialisers;
  std::map<std::string, mlir::Value> values;
};

} // namespace

Result<mlir::OwningOpRef<mlir::ModuleOp>> importModel(mlir::MLIRContext &context, const OnnxFile &file,
                                                      const ImportOptions &options) {
  context.loadDialect<graph::GraphDialect, mlir::func::FuncDialect>();
  return ModelImporter(context, file, options).import();
}

} // namespace tilerig
