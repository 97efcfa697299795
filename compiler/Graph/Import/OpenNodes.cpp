#include "compiler/Graph/Import/OpenNodes.h"

#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/Graph/Import/FrameworkPart.h"
#include "compiler/Graph/Import/GrowingLoops.h"
#include "compiler/Graph/Import/HostTypes.h"
#include "compiler/Graph/Import/KeptGraphs.h"
#include "compiler/Graph/Import/OpenShapes.h"
#include "compiler/Graph/Import/Sequences.h"
#include "compiler/Graph/Import/Subgraphs.h"

#include <fmt/core.h>

namespace tilerig::compiler {

namespace {

using BoundTypes = llvm::SmallVector<mlir::RankedTensorType>;

mlir::RankedTensorType typeOf(mlir::Value value) { return graph::tensorType(value); }

class OpenNode {
public:
  OpenNode(GraphImporter &around, const NodeReader &node)
      : around(around), node(node), open(around.open()), builder(around.builder()) {}

  ImportedValues import() {
    if (auto values = sizes())
      return *std::move(values);
    if (const auto results = growingLoopResults(around, node))
      return loopInFramework(*results);
    if (hasSubgraph(node.proto()))
      return inFramework(std::nullopt);
    const std::optional<BoundTypes> bounds = typesAtBound();
    std::optional<OpenShapes> shapes = openShapesOf(node, open);
    if (!shapes && bounds)
      shapes = openShapesAtBound(node, open, llvm::SmallVector<mlir::Type>(bounds->begin(), bounds->end()));
    if (shapes && shapes->isAtBound) {
      TILERIG_TRY(auto values, atBound(*shapes));
      if (values)
        return *std::move(values);
    }
    return inFramework(shapes, bounds);
  }

private:
  // --- Sizes ---

  // The results if they are made of sizes: a constant, or a part that computes them, which is removed unless it is read.
  std::optional<Values> sizes() {
    if (const auto answers = decided(node, open))
      if (const auto types = typesAtBound()) {
        const auto shape = (*types)[0].getShape();
        Tensor tensor(DType::boolean, Shape(shape.begin(), shape.end()));
        llvm::copy(*answers, tensor.mutableAs<bool>().begin());
        return Values{node.constantValue(tensor)};
      }
    const auto elements = openElementsOf(node, open);
    if (!elements || node.numOutputs() != 1)
      return {};
    Ints shape = {static_cast<int64_t>(elements->size())};
    DType type = DType::i64;
    if (const std::string &name = node.proto().op_type(); name == "Size") {
      shape.clear();
    } else if (name != "Shape") {
      const auto types = typesAtBound();
      if (!types)
        return {};
      shape.assign((*types)[0].getShape().begin(), (*types)[0].getShape().end());
      type = *dtypeOfElement((*types)[0].getElementType());
    }
    if (llvm::all_of(*elements, [](const Size &size) { return size.constant().has_value(); }))
      return Values{constantOf(*elements, shape, type)};
    FrameworkPart part(node, builder, open);
    std::string name = part.add("Reshape", {part.sizes(*elements), part.ints(shape)});
    if (type != DType::i64)
      name = part.add("Cast", {name}, {{"to", onnxNumber(type)}});
    part.result(name, mlir::RankedTensorType::get(shape, node.typeOf(type)));
    auto values = part.create(node.proto().op_type());
    if (!values)
      return {};
    open.setElements((*values)[0], *elements);
    return *std::move(values);
  }

  mlir::Value constantOf(const Sizes &elements, const Ints &shape, DType type) const {
    Tensor tensor(type, Shape(shape.begin(), shape.end()));
    for (const auto [i, size] : llvm::enumerate(elements))
      if (type == DType::i64)
        tensor.mutableAs<int64_t>()[i] = *size.constant();
      else
        tensor.mutableAs<int32_t>()[i] = static_cast<int32_t>(*size.constant());
    return node.constantValue(tensor);
  }

  // --- At the bound ---

  // The node with sizes among its operands replaced by their bounds, as constants. Sizes without bounds stay.
  NodeReader nodeAtBound() const {
    Values inputs = node.inputs();
    for (mlir::Value &input : inputs)
      if (const Sizes *elements = input ? open.openElements(input) : nullptr)
        if (const auto most = open.most(*elements)) {
          const Sizes numbers(llvm::map_range(*most, [](int64_t number) { return Size(number); }));
          input = constantOf(numbers, Ints(graph::shapeOf(input)),
                             *dtypeOfElement(typeOf(input).getElementType()));
        }
    return node.with(inputs);
  }

  mlir::Operation *last() const {
    mlir::Block *block = builder.getInsertionBlock();
    return block->empty() ? nullptr : &block->back();
  }

  // The types that the results have at the bound, from an import that is removed again; or as the host's operators
  // define them, with dynamic sizes where they depend on data.
  std::optional<BoundTypes> typesAtBound() {
    mlir::Operation *const before = last();
    const NodeReader reader = nodeAtBound();
    BoundTypes types;
    if (const Importer *importer = domainOf(node).empty() ? findImporter(operatorName(node)) : nullptr)
      if (const ImportedValues values = (*importer)(reader))
        for (const mlir::Value value : *values)
          types.push_back(value ? typeOf(value) : mlir::RankedTensorType());
    around.eraseBehind(before);
    if (types.empty())
      if (const auto known = hostTypesOf(node))
        types.assign(known->begin(), known->end());
    return types.empty() ? std::nullopt : std::optional(std::move(types));
  }

  // Imports the node at the bound; nullopt if its results do not have these shapes then. An error if the node is invalid.
  Result<std::optional<Values>> atBound(const OpenShapes &shapes) {
    mlir::Operation *const before = last();
    ImportedValues values = importedAtBound(shapes);
    bool isSound = values && values->size() >= shapes.results.size();
    for (size_t i = 0; isSound && i < shapes.results.size(); ++i) {
      const auto most = open.most(shapes.results[i]);
      isSound = most && graph::shapeOf((*values)[i]) == llvm::ArrayRef(*most);
    }
    if (!isSound) {
      around.eraseBehind(before);
      if (!values && values.error().kind != ErrorKind::unsupported)
        return values.error();
      return std::optional<Values>();
    }
    for (const auto [value, shape] : llvm::zip(*values, shapes.results))
      open.setShape(value, shape);
    return std::optional(*std::move(values));
  }

  ImportedValues importedAtBound(const OpenShapes &shapes) {
    const std::string &type = node.proto().op_type();
    const auto most = open.most(shapes.results[0]);
    if (!most)
      return node.unsupportedHere("a size has no bound");
    if (type == "Identity" || type == "Dropout")
      return Values{node.input(0)};
    if (type == "Reshape" || type == "Squeeze" || type == "Unsqueeze" || type == "Flatten") {
      TILERIG_TRY(const mlir::Value value,
                  node.makeAs<graph::ReshapeOp>(*most, node.elementType(0), node.input(0)));
      return Values{value};
    }
    if (type == "Slice")
      return slicedAtBound(*most);
    const Importer *importer = findImporter(operatorName(node));
    if (!importer && type == "RoiAlign")
      return keepNode(node, builder, [](const std::string &) { return mlir::RankedTensorType(); });
    if (!importer)
      return node.unsupportedHere("the operator has no importer");
    if (shapes.needsCopies) {
      TILERIG_TRY(const mlir::Value copies, withCopies(node.input(0)));
      Values inputs = node.inputs();
      inputs[0] = copies;
      return (*importer)(node.with(inputs));
    }
    // These read sizes only as the shape of their result; others compute with the sizes of the run.
    const bool isShaped = type == "Expand" || type == "ConstantOfShape" || type == "Range" || type == "TopK";
    return (*importer)(isShaped ? nodeAtBound() : node);
  }

  // A tensor at its bound in which copies of its elements follow its elements.
  Result<mlir::Value> withCopies(mlir::Value value) const {
    llvm::SmallVector<int64_t> axes;
    for (const auto [axis, size] : llvm::enumerate(open.shape(value)))
      if (!size.constant())
        axes.push_back(static_cast<int64_t>(axis));
    const NodeReader reader = node.part("rows");
    FrameworkPart part(reader, builder, open);
    part.result(part.filled(part.input(value), typeOf(value), axes), typeOf(value));
    TILERIG_TRY(const Values values, part.create("Gather"));
    return values[0];
  }

  // A slice with constant starts; its ends follow from the size of the result.
  ImportedValues slicedAtBound(llvm::ArrayRef<int64_t> shape) const {
    TILERIG_TRY(const Ints given, node.constantInts(1, "starts"));
    const auto rank = static_cast<size_t>(node.rank(0));
    Ints starts(rank, 0), steps(rank, 1), ends(graph::shapeOf(node.input(0))), axes;
    for (size_t i = 0; i < given.size(); ++i)
      axes.push_back(static_cast<int64_t>(i));
    if (node.has(3)) {
      TILERIG_TRY(axes, node.constantInts(3, "axes"));
    }
    Ints givenSteps(given.size(), 1);
    if (node.has(4)) {
      TILERIG_TRY(givenSteps, node.constantInts(4, "steps"));
    }
    for (const auto [at, start, step] : llvm::zip_equal(axes, given, givenSteps)) {
      TILERIG_TRY(const int64_t axis, node.axis(at, static_cast<int64_t>(rank)));
      const int64_t size = ends[axis];
      starts[axis] = std::clamp<int64_t>(start < 0 ? start + size : start, 0, step < 0 ? size - 1 : size);
      steps[axis] = step;
      // The end lies directly behind the last element, because a step behind it may be outside the tensor.
      ends[axis] = starts[axis];
      if (shape[axis] > 0)
        ends[axis] += (shape[axis] - 1) * step + (step > 0 ? 1 : -1);
    }
    TILERIG_TRY(const mlir::Value value, node.make<graph::SliceOp>(node.input(0), starts, ends, steps));
    return Values{value};
  }

  // --- In the framework ---

  // The shape of result `index` in the framework, with a new symbol for each size that nothing is known of.
  struct Shaped {
    mlir::RankedTensorType type;     // at the bound
    std::optional<Sizes> sizes;      // if they follow from other sizes
    llvm::SmallVector<int64_t> axes; // axes whose size is not constant
  };

  Result<Shaped> shaped(size_t index, const std::optional<OpenShapes> &shapes,
                        const std::optional<BoundTypes> &bounds) {
    const mlir::RankedTensorType declared = around.declaredType(node.proto().output(static_cast<int>(index)));
    const mlir::RankedTensorType atBound =
        bounds && index < bounds->size() ? (*bounds)[index] : mlir::RankedTensorType();
    const mlir::Type element = atBound    ? atBound.getElementType()
                               : declared ? declared.getElementType()
                                          : mlir::Type();
    if (!element)
      return node.unsupportedHere(
          "the shape of a result is known only at run time, and the model does not declare its rank",
          "run ONNX's shape inference on the model");
    Shaped result;
    if (shapes && index < shapes->results.size()) {
      result.sizes = shapes->results[index];
      const auto most = open.most(*result.sizes);
      if (!most)
        return noBound();
      result.type = mlir::RankedTensorType::get(*most, element);
      for (const auto [axis, size] : llvm::enumerate(*result.sizes))
        if (!size.constant())
          result.axes.push_back(static_cast<int64_t>(axis));
      return result;
    }
    Ints shape;
    const int64_t rank = atBound ? atBound.getRank() : declared.getRank();
    for (int64_t axis = 0; axis < rank; ++axis) {
      const auto at = static_cast<unsigned>(axis);
      const bool isDeclared = declared && declared.getRank() == rank && !declared.isDynamicDim(at);
      if (isDeclared) {
        shape.push_back(declared.getDimSize(at));
        continue;
      }
      const bool isBounded = atBound && !atBound.isDynamicDim(at);
      TILERIG_TRY(const int64_t bound,
                  isBounded ? Result<int64_t>(atBound.getDimSize(at)) : boundOfData(axis));
      shape.push_back(bound);
      if (!isBounded || !isFixed(at))
        result.axes.push_back(axis);
    }
    result.type = mlir::RankedTensorType::get(shape, element);
    return result;
  }

  // Whether an axis that has a size at the bound has this size in every run: operators that choose elements of a tensor
  // without open axes.
  bool isFixed(unsigned) const {
    return llvm::none_of(node.inputs(), [&](mlir::Value value) { return open.isOpen(value); });
  }

  Error noBound() const {
    return node.unsupportedHere("the size of a result depends on data, and nothing limits it");
  }

  // The greatest size of an axis whose size depends on data.
  Result<int64_t> boundOfData(int64_t axis) const {
    TILERIG_TRY(const HostTypes known, hostTypesOf(node)); // checks the operands
    if (known.empty())
      return noBound();
    const std::string &type = node.proto().op_type();
    int64_t elements = 1;
    for (const int64_t size : node.shape(0))
      elements *= size;
    if (type == "NonZero")
      return elements;
    if (type == "Compress" || type == "Unique")
      return node.attribute("axis") && axis < node.rank(0) ? node.shape(0)[axis] : elements;
    if (type != "NonMaxSuppression")
      return noBound();
    // The limit of boxes for each class; 0, the default, selects none.
    int64_t limit = node.shape(0)[1];
    if (node.has(2)) {
      const auto given = node.constantInts(2, "the limit");
      if (given && given->size() == 1)
        limit = std::min(limit, given->front());
    } else {
      limit = 0;
    }
    return node.shape(1)[0] * node.shape(1)[1] * std::max<int64_t>(limit, 0);
  }

  ImportedValues inFramework(const std::optional<OpenShapes> &shapes,
                             const std::optional<BoundTypes> &bounds = {}) {
    llvm::SmallVector<Shaped> results;
    for (size_t i = 0; i < node.numOutputs(); ++i) {
      if (node.proto().output(static_cast<int>(i)).empty()) {
        results.emplace_back();
        continue;
      }
      TILERIG_TRY(Shaped each, shaped(i, shapes, bounds));
      results.push_back(std::move(each));
    }
    return inFramework(results);
  }

  ImportedValues loopInFramework(llvm::ArrayRef<LoopResult> loopResults) {
    llvm::SmallVector<Shaped> results;
    for (const auto [i, each] : llvm::enumerate(loopResults)) {
      const auto most = open.most(each.sizes);
      if (!most)
        return noBound();
      Shaped &result = results.emplace_back();
      if (node.proto().output(static_cast<int>(i)).empty())
        continue;
      result.type = mlir::RankedTensorType::get(*most, each.element);
      if (!each.boundedAxis)
        result.sizes = each.sizes;
      for (const auto [axis, size] : llvm::enumerate(each.sizes))
        if (!size.constant() || axis == each.boundedAxis)
          result.axes.push_back(static_cast<int64_t>(axis));
    }
    return inFramework(results);
  }

  // Adds a part with the node, whose results have these shapes.
  ImportedValues inFramework(llvm::ArrayRef<Shaped> results) {
    FrameworkPart part(node, builder, open);
    TILERIG_CHECK_OK(addNode(part));
    // First the results, then the shapes of those with unknown sizes.
    llvm::SmallVector<size_t> unknown;
    for (const auto [i, each] : llvm::enumerate(results)) {
      if (!each.type)
        continue;
      const std::string &name = node.proto().output(static_cast<int>(i));
      part.result(part.filled(name, each.type, each.axes), each.type);
      if (!each.sizes && !each.axes.empty())
        unknown.push_back(i);
    }
    for (const size_t i : unknown)
      part.result(part.add("Shape", {node.proto().output(static_cast<int>(i))}),
                  mlir::RankedTensorType::get({results[i].type.getRank()}, node.typeOf(DType::i64)));
    TILERIG_TRY(const Values values, part.create(node.proto().op_type()));
    return opened(values, results, unknown);
  }

  // The results of the node, with the sizes of their axes.
  Values opened(llvm::ArrayRef<mlir::Value> values, llvm::ArrayRef<Shaped> results,
                llvm::ArrayRef<size_t> unknown) {
    Values all;
    for (const Shaped &each : results) {
      all.push_back(each.type ? values.front() : mlir::Value());
      if (!each.type)
        continue;
      values = values.drop_front();
      if (each.sizes)
        open.setShape(all.back(), *each.sizes);
    }
    for (const size_t i : unknown) {
      Sizes sizes = open.shape(all[i]);
      for (const int64_t axis : results[i].axes)
        sizes[axis] = open.element(values.front(), axis, {0, sizes[axis].constant().value_or(unbounded)});
      values = values.drop_front();
      open.setShape(all[i], sizes);
    }
    return all;
  }

  // Adds the node itself to a part, with what it and its subgraphs read.
  Status addNode(FrameworkPart &part) {
    onnx::GraphProto single;
    *single.add_node() = node.proto();
    for (const std::string &name : namesReadBy(single)) {
      TILERIG_TRY(const mlir::Value value, around.valueOf(name, node.name()));
      if (isSequence(value))
        return node.unsupportedHere("a part of the model for the framework reads a sequence");
      part.input(value, name);
    }
    TILERIG_CHECK_OK(renewGraph(node, single));
    part.add(single);
    return success();
  }

  GraphImporter &around;
  const NodeReader &node;
  OpenTensors &open;
  mlir::OpBuilder &builder;
};

} // namespace

bool readsOpen(GraphImporter &around, const NodeReader &node) {
  if (!hasSubgraph(node.proto()))
    return llvm::any_of(node.inputs(), [&](mlir::Value value) { return around.open().isOpen(value); });
  onnx::GraphProto single;
  *single.add_node() = node.proto();
  return llvm::any_of(namesReadBy(single), [&](const std::string &name) {
    if (!around.isVisible(name))
      return false;
    const auto value = around.valueOf(name, node.name());
    return value && around.open().isOpen(*value);
  });
}

ImportedValues importOpen(GraphImporter &around, const NodeReader &node) {
  return OpenNode(around, node).import();
}

Result<mlir::Value> filledTo(const NodeReader &node, mlir::Value value, llvm::ArrayRef<int64_t> shape) {
  mlir::Value filled = value;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    Ints rest(graph::shapeOf(filled));
    rest[axis] = shape[axis] - rest[axis];
    if (rest[axis] == 0)
      continue;
    const Tensor zeros(*dtypeOfElement(typeOf(filled).getElementType()), Shape(rest.begin(), rest.end()));
    const mlir::Value behind = node.constantValue(zeros);
    if (graph::shapeOf(filled)[axis] == 0) {
      filled = behind;
      continue;
    }
    TILERIG_TRY(filled,
                node.make<graph::ConcatOp>(mlir::ValueRange{filled, behind}, static_cast<uint64_t>(axis)));
  }
  return filled;
}

} // namespace tilerig::compiler
