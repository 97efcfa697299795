#include "compiler/Graph/Import/Import.h"

#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/Graph/Import/FrameworkPart.h"
#include "compiler/Graph/Import/GraphImporter.h"
#include "compiler/Graph/Import/Sequences.h"
#include "compiler/Graph/Import/Soundness.h"

#include <fmt/ranges.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>

namespace tilerig::compiler {

namespace {

class ModelImporter {
public:
  ModelImporter(mlir::MLIRContext &context, const OnnxFile &file, const ImportOptions &options)
      : file(file), graph(file.model().graph()),
        options(options), shared{file, options, mlir::OpBuilder(&context)},
        nodes(shared, graph, nullptr, "") {}

  Result<mlir::OwningOpRef<mlir::ModuleOp>> import() {
    mlir::OwningOpRef<mlir::ModuleOp> module =
        mlir::ModuleOp::create(mlir::UnknownLoc::get(&shared.context()), graph.name());
    shared.builder.setInsertionPointToEnd(module->getBody());
    TILERIG_CHECK_OK(checkOptions());
    TILERIG_CHECK_OK(checkSoundness(file));
    TILERIG_TRY(mlir::func::FuncOp function, openFunction());
    TILERIG_CHECK_OK(nodes.importNodes());
    TILERIG_CHECK_OK(closeFunction(function));
    return module;
  }

private:
  Status checkOptions() const {
    for (const auto &[name, shape] : options.inputShapes) {
      const auto match = std::ranges::find(graph.input(), name, &onnx::ValueInfoProto::name);
      if (match == graph.input().end())
        return usageError("--input-shape", fmt::format("the model has no input '{}'", name));
    }
    if (options.batch && std::ranges::none_of(graph.input(), [&](const onnx::ValueInfoProto &input) {
          return !nodes.hasInitialiser(input.name()) && !options.inputShapes.contains(input.name());
        }))
      return usageError(
          "--batch",
          "this option sets the first dimension of inputs without --input-shape, but every input has an "
          "--input-shape",
          "leave --batch out");
    return success();
  }

  Result<mlir::RankedTensorType> inputType(const onnx::ValueInfoProto &input) const {
    const onnx::TypeProto::Tensor &type = input.type().tensor_type();
    const auto element = dtypeOfOnnx(type.elem_type());
    if (!input.type().has_tensor_type() || !element)
      return unsupported(file.path(), fmt::format("input '{}' is not a tensor of numbers", input.name()));
    const auto requested = options.inputShapes.find(input.name());
    Shape shape;
    if (requested != options.inputShapes.end()) {
      shape = requested->second;
      // The user's sizes may differ from those of the model, but not the number of axes.
      if (type.has_shape() && shape.size() != static_cast<size_t>(type.shape().dim_size()))
        return invalidInput(fmt::format("{}: input '{}'", file.path(), input.name()),
                            fmt::format("--input-shape gives the shape [{}], but the model declares {} axes",
                                        fmt::join(shape, ", "), type.shape().dim_size()),
                            "give one size for each axis with --input-shape");
    } else {
      for (const auto &dimension : type.shape().dim()) {
        if (options.batch && shape.empty()) {
          shape.push_back(*options.batch);
          continue;
        }
        if (!dimension.has_dim_value())
          return unsupported(file.path(), fmt::format("input '{}' has no fixed shape", input.name()),
                             fmt::format("state the shape with --input-shape {}=…", input.name()));
        shape.push_back(dimension.dim_value());
      }
      if (!type.has_shape())
        return unsupported(file.path(), fmt::format("input '{}' has no shape", input.name()),
                           fmt::format("state the shape with --input-shape {}=…", input.name()));
    }
    const auto bytes = sizeBytesOf(*element, shape);
    if (!bytes)
      return bytes.error().within(fmt::format("{}: input '{}'", file.path(), input.name()));
    return mlir::RankedTensorType::get(shape, elementTypeOf(shared.context(), *element));
  }

  Result<mlir::func::FuncOp> openFunction() {
    llvm::SmallVector<mlir::Type> types;
    llvm::SmallVector<mlir::Location> locations;
    llvm::SmallVector<std::string> names;
    for (const onnx::ValueInfoProto &input : graph.input()) {
      // Older models list their weights among the inputs; these are skipped.
      if (nodes.hasInitialiser(input.name()))
        continue;
      TILERIG_TRY(const mlir::RankedTensorType type, inputType(input));
      types.push_back(type);
      locations.push_back(shared.locationOf(input.name()));
      names.push_back(input.name());
    }
    mlir::OpBuilder &builder = shared.builder;
    auto function = mlir::func::FuncOp::create(builder, shared.locationOf("main"), "main",
                                               builder.getFunctionType(types, {}));
    mlir::Block *body = function.addEntryBlock();
    for (size_t i = 0; i < names.size(); ++i) {
      body->getArgument(i).setLoc(locations[i]);
      function.setArgAttr(i, nameAttribute, builder.getStringAttr(names[i]));
      TILERIG_CHECK_OK(nodes.define(names[i], body->getArgument(i)));
    }
    builder.setInsertionPointToEnd(body);
    return function;
  }

  Status closeFunction(mlir::func::FuncOp function) {
    TILERIG_TRY(Values results, nodes.outputs());
    for (const auto [i, result] : llvm::enumerate(results))
      if (isSequence(result))
        return unsupported(
            file.path(),
            fmt::format("output '{}' is a sequence, but inputs and outputs of a model must be tensors",
                        graph.output(static_cast<int>(i)).name()));
    mlir::OpBuilder &builder = shared.builder;
    TILERIG_TRY(const auto cut, addSizes(results));
    mlir::func::ReturnOp::create(builder, shared.locationOf("return"), results);
    removeUnusedParts(*builder.getInsertionBlock());
    removeSequences(*builder.getInsertionBlock());
    function.setType(
        builder.getFunctionType(function.getArgumentTypes(), mlir::ValueRange(results).getTypes()));
    for (int i = 0; i < graph.output_size(); ++i)
      function.setResultAttr(static_cast<unsigned>(i), nameAttribute,
                             builder.getStringAttr(graph.output(i).name()));
    for (const auto [i, output] : llvm::enumerate(cut)) {
      const std::string name = graph.output(static_cast<int>(output)).name() + "#sizes";
      function.setResultAttr(static_cast<unsigned>(graph.output_size() + i), nameAttribute,
                             builder.getStringAttr(name));
      function.setResultAttr(output, sizesAttribute, builder.getStringAttr(name));
    }
    return success();
  }

  // Appends the sizes of each result whose shape depends on data; returns the numbers of these results.
  Result<llvm::SmallVector<unsigned>> addSizes(Values &results) {
    llvm::SmallVector<unsigned> open;
    for (unsigned i = 0; i < static_cast<unsigned>(graph.output_size()); ++i) {
      const Sizes *const sizes = shared.open.openShape(results[i]);
      if (!sizes)
        continue;
      const onnx::NodeProto node;
      const NodeReader reader(file, node, graph.output(static_cast<int>(i)).name(), 0, {}, shared.builder,
                              shared.locationOf(graph.output(static_cast<int>(i)).name() + "#sizes"));
      FrameworkPart part(reader, shared.builder, shared.open);
      part.result(part.sizes(*sizes), mlir::RankedTensorType::get({static_cast<int64_t>(sizes->size())},
                                                                  reader.typeOf(DType::i64)));
      TILERIG_TRY(const Values values, part.create("Shape"));
      results.append(values);
      open.push_back(i);
    }
    return open;
  }

  // Removes parts that nothing reads, such as those that compute sizes only for the compiler.
  static void removeUnusedParts(mlir::Block &block) {
    for (mlir::Operation &operation : llvm::make_early_inc_range(llvm::reverse(block)))
      if (auto opaque = llvm::dyn_cast<graph::OpaqueOp>(operation);
          opaque && opaque.getDomain() == graph::partDomain && opaque->use_empty())
        opaque.erase();
  }

  const OnnxFile &file;
  const onnx::GraphProto &graph;
  const ImportOptions &options;
  Importing shared;
  GraphImporter nodes;
};

} // namespace

Result<mlir::OwningOpRef<mlir::ModuleOp>> importModel(mlir::MLIRContext &context, const OnnxFile &file,
                                                      const ImportOptions &options) {
  context.loadDialect<graph::GraphDialect, mlir::func::FuncDialect>();
  return ModelImporter(context, file, options).import();
}

} // namespace tilerig::compiler
