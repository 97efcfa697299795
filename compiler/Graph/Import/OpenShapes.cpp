#include "compiler/Graph/Import/OpenShapes.h"

#include "compiler/Graph/Import/Opaque.h"

#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/ADT/StringSwitch.h>

namespace tilerig::compiler {

namespace {

using FoundShapes = std::optional<OpenShapes>;

bool isOpen(const Size &size) { return !size.constant(); }
bool isStatic(llvm::ArrayRef<Size> sizes) { return llvm::none_of(sizes, isOpen); }

// Reads a node with open operands.
struct Reader {
  const NodeReader &node;
  OpenTensors &open;

  Sizes shape(size_t index) const { return open.shape(node.input(index)); }
  std::optional<Sizes> ints(size_t index) const {
    return node.has(index) ? open.anyElements(node.input(index)) : std::nullopt;
  }
  std::optional<int64_t> axis(const char *name, int64_t otherwise, size_t rank) const {
    const auto axis = node.axis(node.integer(name, otherwise), static_cast<int64_t>(rank));
    return axis ? std::optional(*axis) : std::nullopt;
  }
  // The axes that an attribute or, in newer operator sets, operand 1 names.
  std::optional<Ints> axes(size_t rank) const {
    const auto named = node.integersOrInput("axes", 1);
    if (!named || !*named)
      return {};
    Ints all = **named;
    for (int64_t &each : all) {
      const auto axis = node.axis(each, static_cast<int64_t>(rank));
      if (!axis)
        return {};
      each = *axis;
    }
    return all;
  }
};

FoundShapes atBound(const Sizes &shape) { return OpenShapes{{shape}, true}; }
FoundShapes inFramework(const Sizes &shape) { return OpenShapes{{shape}, false}; }

// The shape to which shapes are broadcast; nullopt if that depends on the sizes at run time.
std::optional<Sizes> broadcast(llvm::ArrayRef<Sizes> shapes) {
  size_t rank = 0;
  for (const Sizes &shape : shapes)
    rank = std::max(rank, shape.size());
  Sizes result(rank, Size(1));
  for (const Sizes &shape : shapes)
    for (const auto [i, size] : llvm::enumerate(shape)) {
      Size &to = result[rank - shape.size() + i];
      if (to == Size(1))
        to = size;
      else if (size != Size(1) && size != to)
        return {};
    }
  return result;
}

// --- Operators that compute each element by itself ---

FoundShapes elementwise(const Reader &from) {
  llvm::SmallVector<Sizes> shapes;
  for (size_t i = 0; i < from.node.inputs().size(); ++i)
    if (from.node.has(i))
      shapes.push_back(from.shape(i));
  const auto shape = broadcast(shapes);
  return shape ? atBound(*shape) : FoundShapes();
}

// The shape of the first operand. The others, such as scales, are single elements.
FoundShapes likeFirst(const Reader &from) {
  for (size_t i = 1; i < from.node.inputs().size(); ++i)
    if (from.node.has(i) && graph::tensorType(from.node.input(i)).getNumElements() != 1)
      return {};
  return atBound(from.shape(0));
}

FoundShapes expand(const Reader &from) {
  const auto target = from.ints(1);
  const auto shape = target ? broadcast({from.shape(0), *target}) : std::nullopt;
  return shape ? atBound(*shape) : FoundShapes();
}

FoundShapes constantOfShape(const Reader &from) {
  const auto shape = from.ints(0);
  return shape ? atBound(*shape) : FoundShapes();
}

FoundShapes range(const Reader &from) {
  const auto start = from.ints(0), limit = from.ints(1), step = from.ints(2);
  if (!start || !limit || !step || start->size() != 1 || limit->size() != 1 || step->size() != 1 ||
      step->front() != Size(1))
    return {};
  const Size count = from.open.combined(Symbol::Kind::greatest, limit->front() - start->front(), Size(0));
  return start->front().constant() ? atBound({count}) : inFramework({count});
}

// --- Operators that move elements ---

// Whether a reshape at the bound keeps the elements in place: axes of open size stay as they are, or are the outermost
// ones among those with which they are merged or from which they are split.
bool keepsPlaces(llvm::ArrayRef<Size> from, llvm::ArrayRef<Size> to) {
  const auto withoutOnes = [](llvm::ArrayRef<Size> sizes) {
    return Sizes(llvm::make_filter_range(sizes, [](const Size &size) { return size != Size(1); }));
  };
  const Sizes a = withoutOnes(from), b = withoutOnes(to);
  size_t i = 0, k = 0;
  while (i < a.size() || k < b.size()) {
    // The smallest groups of axes with the same number of elements.
    size_t endA = std::min(i + 1, a.size()), endB = std::min(k + 1, b.size());
    const auto group = [](const Sizes &sizes, size_t begin, size_t end) {
      return llvm::ArrayRef(sizes).slice(begin, end - begin);
    };
    while (product(group(a, i, endA)) != product(group(b, k, endB))) {
      const Size left = product(group(a, i, endA)), right = product(group(b, k, endB));
      const bool isLeftShort = right.dividedBy(left).has_value();
      if (isLeftShort && endA < a.size())
        ++endA;
      else if (endB < b.size())
        ++endB;
      else if (endA < a.size())
        ++endA;
      else
        return false;
    }
    const auto left = group(a, i, endA), right = group(b, k, endB);
    const bool isUnchanged = left.size() == 1 && right.size() == 1;
    if (!isUnchanged && !(isStatic(left.drop_front(std::min<size_t>(1, left.size()))) &&
                          isStatic(right.drop_front(std::min<size_t>(1, right.size())))))
      return false;
    i = endA;
    k = endB;
  }
  return true;
}

FoundShapes reshapedTo(const Sizes &from, const Sizes &to) {
  return keepsPlaces(from, to) ? atBound(to) : inFramework(to);
}

FoundShapes reshape(const Reader &from) {
  const Sizes shape = from.shape(0);
  auto target = from.ints(1);
  if (!target || from.node.opset() < 5)
    return {};
  std::optional<size_t> inferred;
  for (size_t i = 0; i < target->size(); ++i) {
    Size &size = (*target)[i];
    if (size == Size(0) && from.node.integer("allowzero", 0) == 0 && i < shape.size())
      size = shape[i];
    else if (size == Size(-1))
      inferred = i;
  }
  if (inferred) {
    (*target)[*inferred] = Size(1);
    const auto rest = product(shape).dividedBy(product(*target));
    if (!rest)
      return {};
    (*target)[*inferred] = *rest;
  }
  return product(shape) == product(*target) ? reshapedTo(shape, *target) : FoundShapes();
}

FoundShapes flatten(const Reader &from) {
  const Sizes shape = from.shape(0);
  int64_t axis = from.node.integer("axis", 1);
  axis += axis < 0 ? static_cast<int64_t>(shape.size()) : 0;
  if (axis < 0 || axis > static_cast<int64_t>(shape.size()))
    return {};
  const auto at = static_cast<size_t>(axis);
  return reshapedTo(
      shape, {product(llvm::ArrayRef(shape).take_front(at)), product(llvm::ArrayRef(shape).drop_front(at))});
}

FoundShapes squeeze(const Reader &from) {
  const Sizes shape = from.shape(0);
  const auto axes = from.axes(shape.size());
  if (!axes)
    return {};
  Sizes result;
  for (const auto [i, size] : llvm::enumerate(shape))
    if (!llvm::is_contained(*axes, static_cast<int64_t>(i)))
      result.push_back(size);
    else if (size != Size(1))
      return {};
  return reshapedTo(shape, result);
}

FoundShapes unsqueeze(const Reader &from) {
  const Sizes shape = from.shape(0);
  const auto named = from.node.integersOrInput("axes", 1);
  if (!named || !*named)
    return {};
  const auto axes = from.axes(shape.size() + (*named)->size());
  if (!axes)
    return {};
  Sizes result = shape;
  Ints ascending = *axes;
  llvm::sort(ascending);
  for (const int64_t axis : ascending)
    if (axis <= static_cast<int64_t>(result.size()))
      result.insert(result.begin() + axis, Size(1));
  return reshapedTo(shape, result);
}

FoundShapes transpose(const Reader &from) {
  const Sizes shape = from.shape(0);
  Ints reversed;
  for (size_t i = shape.size(); i-- > 0;)
    reversed.push_back(static_cast<int64_t>(i));
  Sizes result;
  for (const int64_t axis : from.node.integers("perm").value_or(reversed)) {
    if (axis < 0 || axis >= static_cast<int64_t>(shape.size()))
      return {};
    result.push_back(shape[static_cast<size_t>(axis)]);
  }
  return atBound(result);
}

FoundShapes concat(const Reader &from) {
  const auto axis = from.axis("axis", 0, from.shape(0).size());
  if (!axis)
    return {};
  Sizes result = from.shape(0);
  bool isStaticAlong = !isOpen(result[*axis]);
  for (size_t i = 1; i < from.node.inputs().size(); ++i) {
    const Sizes shape = from.shape(i);
    if (shape.size() != result.size())
      return {};
    for (size_t k = 0; k < shape.size(); ++k)
      if (static_cast<int64_t>(k) != *axis && shape[k] != result[k])
        return {};
    isStaticAlong = isStaticAlong && !isOpen(shape[*axis]);
    result[*axis] = result[*axis] + shape[*axis];
  }
  return isStaticAlong ? atBound(result) : inFramework(result);
}

FoundShapes gather(const Reader &from) {
  const Sizes data = from.shape(0), indices = from.shape(1);
  const auto axis = from.axis("axis", 0, data.size());
  if (!axis)
    return {};
  Sizes result(data.begin(), data.begin() + *axis);
  result.append(indices);
  result.append(data.begin() + *axis + 1, data.end());
  return isOpen(data[*axis]) ? inFramework(result) : atBound(result);
}

FoundShapes gatherND(const Reader &from) {
  const Sizes data = from.shape(0), indices = from.shape(1);
  if (indices.empty() || from.node.integer("batch_dims", 0) != 0)
    return {};
  // The number of axes of the data that an index selects; -1 if unknown.
  const int64_t depth = indices.back().constant().value_or(-1);
  if (depth < 0 || depth > static_cast<int64_t>(data.size()))
    return {};
  Sizes result(indices.begin(), indices.end() - 1);
  result.append(data.begin() + depth, data.end());
  return isStatic(data) ? atBound(result) : inFramework(result);
}

FoundShapes likeIndices(const Reader &from) { return inFramework(from.shape(1)); }
FoundShapes likeData(const Reader &from) { return inFramework(from.shape(0)); }

// Slices with constant starts from the beginning of an open axis can be taken at the bound.
FoundShapes slice(const Reader &from) {
  Sizes result = from.shape(0);
  const auto starts = from.ints(1), ends = from.ints(2);
  if (from.node.opset() < 10 || !starts || !ends)
    return {};
  const size_t count = starts->size();
  Ints axes;
  for (size_t i = 0; i < count; ++i)
    axes.push_back(static_cast<int64_t>(i));
  const auto named = from.ints(3);
  const auto steps = from.node.has(4) ? from.ints(4) : Sizes(count, Size(1));
  if (count > result.size() || ends->size() != count || !steps || steps->size() != count)
    return {};
  if (from.node.has(3)) {
    if (!named || named->size() != count)
      return {};
    for (const auto [to, size] : llvm::zip_equal(axes, *named)) {
      const auto axis =
          from.node.axis(size.constant().value_or(INT64_MAX), static_cast<int64_t>(result.size()));
      if (!axis)
        return {};
      to = *axis;
    }
  }
  bool isAtBound = true;
  for (size_t i = 0; i < axes.size(); ++i) {
    Size &size = result[static_cast<size_t>(axes[i])];
    const auto start = (*starts)[i].constant(), end = (*ends)[i].constant();
    const int64_t step = (*steps)[i].constant().value_or(0); // 0, which ONNX forbids, if it is not known
    if (const auto known = size.constant(); known && start && end && step != 0) {
      // As ONNX defines it, with all numbers known.
      const auto bound = [&](int64_t at, int64_t least, int64_t most) {
        return std::clamp(at < 0 ? at + *known : at, least, most);
      };
      const int64_t first = step > 0 ? bound(*start, 0, *known) : bound(*start, 0, *known - 1),
                    last = step > 0 ? bound(*end, 0, *known) : bound(*end, -1, *known - 1);
      const int64_t length = step > 0 ? last - first : first - last;
      size = Size(length > 0 ? (step > 0 ? (length - 1) / step : (1 - length) / step) + 1 : 0);
      continue;
    }
    if (step != 1)
      return {};
    const auto place = [&](const Size &at) -> std::optional<Size> {
      const Bounds bounds = from.open.bounds(at);
      if (bounds.least < 0 && bounds.most >= 0)
        return {};
      const Size counted =
          bounds.least < 0 ? from.open.combined(Symbol::Kind::greatest, size + at, Size(0)) : at;
      return from.open.combined(Symbol::Kind::least, counted, size);
    };
    const auto first = place((*starts)[i]), last = place((*ends)[i]);
    if (!first || !last)
      return {};
    size = from.open.combined(Symbol::Kind::greatest, *last - *first, Size(0));
    isAtBound = isAtBound && start && *start >= 0;
  }
  return isAtBound ? atBound(result) : inFramework(result);
}

// --- Operators along some axes; the others may be open ---

// The results have the shapes that they have at the bound, with the sizes of open axes of the first operand in their
// places. `along`: whether the operator computes along this axis.
template <class Along>
FoundShapes alongAxes(const Reader &from, const Along &along, llvm::ArrayRef<mlir::Type> typesAtBound) {
  const Sizes shape = from.shape(0);
  OpenShapes shapes{{}, true};
  for (size_t i = 0; i < shape.size(); ++i)
    if (isOpen(shape[i]) && along(static_cast<int64_t>(i)))
      return {};
  for (size_t i = 1; i < from.node.inputs().size(); ++i)
    if (from.open.isOpen(from.node.input(i)))
      return {};
  for (const mlir::Type type : typesAtBound) {
    const auto sizes = llvm::cast<mlir::RankedTensorType>(type).getShape();
    if (sizes.size() != shape.size())
      return {};
    Sizes result;
    for (size_t i = 0; i < shape.size(); ++i)
      result.push_back(isOpen(shape[i]) ? shape[i] : Size(sizes[i]));
    shapes.results.push_back(std::move(result));
  }
  return shapes;
}

FoundShapes reduce(const Reader &from) {
  const Sizes shape = from.shape(0);
  const auto axes = from.axes(shape.size());
  const bool keeps = from.node.integer("keepdims", 1) != 0;
  // Without axes, all are reduced; if the node has an operand for them, it must be constant.
  if ((!axes && (from.node.has(1) || from.node.integer("noop_with_empty_axes", 0) != 0)) ||
      (axes && axes->empty()))
    return {};
  const std::string &type = from.node.proto().op_type();
  OpenShapes result{{Sizes()}, true};
  for (const auto [i, size] : llvm::enumerate(shape)) {
    const bool isReduced = !axes || llvm::is_contained(*axes, static_cast<int64_t>(i));
    result.needsCopies |= isReduced && isOpen(size);
    if (!isReduced)
      result.results[0].push_back(size);
    else if (keeps)
      result.results[0].emplace_back(1);
  }
  // The largest or smallest element stays the same among copies of the elements; sums do not.
  result.isAtBound = !result.needsCopies || type == "ReduceMax" || type == "ReduceMin";
  return result;
}

FoundShapes argExtreme(const Reader &from) {
  Sizes shape = from.shape(0);
  const auto axis = from.axis("axis", 0, shape.size());
  if (!axis || isOpen(shape[*axis]))
    return {};
  if (from.node.integer("keepdims", 1) != 0)
    shape[*axis] = Size(1);
  else
    shape.erase(shape.begin() + *axis);
  return atBound(shape);
}

FoundShapes topK(const Reader &from) {
  Sizes shape = from.shape(0);
  const auto axis = from.axis("axis", -1, shape.size());
  const auto count = from.ints(1);
  if (!axis || !count || count->size() != 1)
    return {};
  const bool isSorted = from.node.integer("sorted", 1) != 0;
  const bool isAtBound = !isOpen(shape[*axis]) && (isSorted || !isOpen(count->front()));
  shape[*axis] = count->front();
  return OpenShapes{{shape, shape}, isAtBound};
}

// --- Products ---

FoundShapes matMul(const Reader &from) {
  const Sizes a = from.shape(0), b = from.shape(1);
  if (a.size() < 2 || b.size() < 2 || isOpen(a.back()) || a.back() != b.end()[-2])
    return {};
  const auto batch = broadcast({Sizes(a.begin(), a.end() - 2), Sizes(b.begin(), b.end() - 2)});
  if (!batch)
    return {};
  Sizes result = *batch;
  result.push_back(a.end()[-2]);
  result.push_back(b.back());
  return atBound(result);
}

FoundShapes gemm(const Reader &from) {
  const Sizes a = from.shape(0), b = from.shape(1);
  if (a.size() != 2 || b.size() != 2 || from.node.integer("transA", 0) != 0 || isOpen(a[1]) || !isStatic(b) ||
      (from.node.has(2) && !isStatic(from.shape(2))))
    return {};
  return atBound({a[0], b[from.node.integer("transB", 0) != 0 ? 0 : 1]});
}

FoundShapes roiAlign(const Reader &from) {
  const Sizes image = from.shape(0), regions = from.shape(1);
  if (!isStatic(image) || image.size() != 4 || regions.size() != 2 || from.shape(2) != Sizes{regions[0]})
    return {};
  return atBound(
      {regions[0], image[1], from.node.integer("output_height", 1), from.node.integer("output_width", 1)});
}

const llvm::StringSet<> &elementwiseOperators() {
  static const llvm::StringSet<> names = {"Abs",
                                          "Acos",
                                          "Acosh",
                                          "Add",
                                          "And",
                                          "Asin",
                                          "Asinh",
                                          "Atan",
                                          "Atanh",
                                          "BitShift",
                                          "BitwiseAnd",
                                          "BitwiseNot",
                                          "BitwiseOr",
                                          "BitwiseXor",
                                          "Cast",
                                          "Ceil",
                                          "Celu",
                                          "Cos",
                                          "Cosh",
                                          "Div",
                                          "Elu",
                                          "Equal",
                                          "Erf",
                                          "Exp",
                                          "Floor",
                                          "Gelu",
                                          "Greater",
                                          "GreaterOrEqual",
                                          "HardSigmoid",
                                          "HardSwish",
                                          "Identity",
                                          "IsInf",
                                          "IsNaN",
                                          "LeakyRelu",
                                          "Less",
                                          "LessOrEqual",
                                          "Log",
                                          "Max",
                                          "Mean",
                                          "Min",
                                          "Mish",
                                          "Mod",
                                          "Mul",
                                          "Neg",
                                          "Not",
                                          "Or",
                                          "Pow",
                                          "Reciprocal",
                                          "Relu",
                                          "Round",
                                          "Selu",
                                          "Shrink",
                                          "Sigmoid",
                                          "Sign",
                                          "Sin",
                                          "Sinh",
                                          "Softplus",
                                          "Softsign",
                                          "Sqrt",
                                          "Sub",
                                          "Sum",
                                          "Swish",
                                          "Tan",
                                          "Tanh",
                                          "ThresholdedRelu",
                                          "Where",
                                          "Xor"};
  return names;
}

// Operators on batches of images: only the first axis may be open.
const llvm::StringSet<> &batchOperators() {
  static const llvm::StringSet<> names = {"AveragePool",
                                          "BatchNormalization",
                                          "Conv",
                                          "ConvTranspose",
                                          "DepthToSpace",
                                          "GlobalAveragePool",
                                          "GlobalLpPool",
                                          "GlobalMaxPool",
                                          "GroupNormalization",
                                          "InstanceNormalization",
                                          "LRN",
                                          "LpPool",
                                          "MaxPool",
                                          "Resize",
                                          "SpaceToDepth",
                                          "Upsample"};
  return names;
}

} // namespace

FoundShapes openShapesAtBound(const NodeReader &node, OpenTensors &open,
                              llvm::ArrayRef<mlir::Type> typesAtBound) {
  const Reader from{node, open};
  const std::string &type = node.proto().op_type();
  if (!domainOf(node).empty() || !node.has(0))
    return {};
  if (batchOperators().contains(type))
    return alongAxes(
        from, [](int64_t axis) { return axis != 0; }, typesAtBound);
  const auto rank = static_cast<int64_t>(open.shape(node.input(0)).size());
  const auto onAxis = [&](int64_t otherwise, bool isTail) -> FoundShapes {
    const auto axis = from.axis("axis", otherwise, static_cast<size_t>(rank));
    if (!axis)
      return {};
    return alongAxes(
        from, [&](int64_t each) { return isTail ? each >= *axis : each == *axis; }, typesAtBound);
  };
  if (type == "Softmax" || type == "LogSoftmax" || type == "Hardmax")
    return node.opset() < 13 ? onAxis(1, true) : onAxis(-1, false);
  if (type == "LayerNormalization" || type == "RMSNormalization")
    return onAxis(-1, true);
  if (type == "Split")
    return onAxis(0, false);
  if (type == "Pad" || type == "Tile")
    return alongAxes(
        from,
        [&](int64_t axis) {
          const mlir::Type first = typesAtBound.empty() ? mlir::Type() : typesAtBound.front();
          return !first || llvm::cast<mlir::RankedTensorType>(first).getShape()[axis] != node.shape(0)[axis];
        },
        typesAtBound);
  return {};
}

std::optional<OpenShapes> openShapesOf(const NodeReader &node, OpenTensors &open) {
  const Reader from{node, open};
  const std::string &type = node.proto().op_type();
  if (!domainOf(node).empty() || !node.has(0))
    return {};
  if (elementwiseOperators().contains(type))
    return elementwise(from);
  if (type.starts_with("Reduce"))
    return reduce(from);
  // A rule, and the number of operands that the node must have.
  struct Rule {
    FoundShapes (*shapes)(const Reader &) = nullptr;
    size_t operands = 1;
  };
  const Rule rule = llvm::StringSwitch<Rule>(type)
                        .Cases({"Clip", "Dropout", "QuantizeLinear", "DequantizeLinear"}, {likeFirst})
                        .Case("Expand", {expand, 2})
                        .Case("ConstantOfShape", {constantOfShape})
                        .Case("Range", {range, 3})
                        .Case("Reshape", {reshape, 2})
                        .Case("Flatten", {flatten})
                        .Case("Squeeze", {squeeze})
                        .Case("Unsqueeze", {unsqueeze})
                        .Case("Transpose", {transpose})
                        .Case("Concat", {concat, node.inputs().size()})
                        .Case("Gather", {gather, 2})
                        .Case("GatherND", {gatherND, 2})
                        .Case("GatherElements", {likeIndices, 2})
                        .Cases({"Scatter", "ScatterElements", "ScatterND"}, {likeData, 3})
                        .Cases({"CumSum", "ReverseSequence"}, {likeData, 2})
                        .Case("Trilu", {likeData})
                        .Case("Slice", {slice, 3})
                        .Cases({"ArgMax", "ArgMin"}, {argExtreme})
                        .Case("TopK", {topK, 2})
                        .Case("MatMul", {matMul, 2})
                        .Case("Gemm", {gemm, 2})
                        .Case("RoiAlign", {roiAlign, 3})
                        .Default({});
  for (size_t i = 0; i < rule.operands; ++i)
    if (!node.has(i))
      return {};
  return rule.shapes ? rule.shapes(from) : FoundShapes();
}

} // namespace tilerig::compiler
