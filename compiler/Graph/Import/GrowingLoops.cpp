#include "compiler/Graph/Import/GrowingLoops.h"

#include "compiler/Graph/IR/Graph.h"
#include "compiler/Graph/IR/TensorAttributes.h"

namespace tilerig::compiler {

namespace {

class GrowingLoop {
public:
  GrowingLoop(GraphImporter &around, const NodeReader &node, const onnx::GraphProto &body)
      : around(around), node(node), open(around.open()), body(body),
        carried(node.inputs().size() - std::min<size_t>(2, node.inputs().size())) {
    for (const onnx::NodeProto &inner : body.node())
      for (const std::string &output : inner.output())
        producers[output] = &inner;
  }

  std::optional<std::vector<LoopResult>> results() {
    const bool hasAllNames = body.input_size() == static_cast<int>(2 + carried) &&
                             body.output_size() == static_cast<int>(1 + node.numOutputs());
    const std::optional<Size> count = hasAllNames ? steps() : std::nullopt;
    if (!count)
      return {};
    std::vector<LoopResult> all;
    for (size_t i = 0; i < node.numOutputs(); ++i) {
      std::optional<LoopResult> result = i < carried ? variable(i, *count) : collected(i, *count);
      if (!result)
        return {};
      all.push_back(*std::move(result));
    }
    return all;
  }

private:
  // --- Names in the body ---

  // The tensor of which `name` is a copy, perhaps with elements of another type.
  const std::string &origin(const std::string &name) const {
    const auto isCopy = [](const onnx::NodeProto &inner) {
      return inner.input_size() == 1 && (inner.op_type() == "Identity" || inner.op_type() == "Cast");
    };
    const std::string *at = &name;
    for (int copies = 0; copies < body.node_size();
         ++copies) { // at most all nodes, in case copies form a cycle
      const auto entry = producers.find(*at);
      if (entry == producers.end() || !isCopy(*entry->second))
        break;
      at = &entry->second->input(0);
    }
    return *at;
  }
  const onnx::NodeProto *producer(const std::string &name) const {
    const auto entry = producers.find(origin(name));
    return entry == producers.end() ? nullptr : entry->second;
  }

  // A value of the surrounding graph; null if the name is the body's own, or if sizes are unknown.
  mlir::Value outer(const std::string &name) const {
    const bool isOwn = producers.contains(name) ||
                       llvm::any_of(body.input(), [&](const auto &input) { return input.name() == name; }) ||
                       llvm::any_of(body.initializer(), [&](const auto &own) { return own.name() == name; });
    if (isOwn || !around.isVisible(name))
      return {};
    const auto value = around.valueOf(name, node.name());
    return value && isStatic(*value) ? *value : mlir::Value();
  }

  std::optional<Tensor> constant(const std::string &name) const {
    onnx::AttributeProto holder;
    if (const onnx::NodeProto *inner = producer(name); inner && inner->op_type() == "Constant") {
      for (const onnx::AttributeProto &attribute : inner->attribute())
        if (attribute.name() == "value")
          holder = attribute;
    } else {
      for (const onnx::TensorProto &initialiser : body.initializer())
        if (initialiser.name() == origin(name))
          *holder.mutable_t() = initialiser;
    }
    if (holder.has_t()) {
      auto tensor = node.tensor(holder);
      return tensor ? std::optional(*std::move(tensor)) : std::nullopt;
    }
    const mlir::Value value = outer(origin(name));
    auto operation = value ? value.getDefiningOp<graph::ConstantOp>() : graph::ConstantOp();
    return operation ? std::optional(tensorOf(operation.getValue())) : std::nullopt;
  }
  std::optional<Ints> constantInts(const std::string &name) const {
    const std::optional<Tensor> tensor = constant(name);
    if (!tensor || tensor->dtype() != DType::i64)
      return {};
    const auto elements = tensor->as<int64_t>();
    return Ints(elements.begin(), elements.end());
  }
  bool isTrue(const std::string &name) const {
    const std::optional<Tensor> tensor = constant(name);
    return tensor && tensor->dtype() == DType::boolean && tensor->elementCount() == 1 &&
           tensor->as<bool>()[0];
  }

  // --- Steps ---

  // The number of steps, unless the condition ends the loop earlier.
  std::optional<Size> steps() {
    const auto elements = node.has(0) ? open.elements(node.input(0)) : std::nullopt;
    if (!elements || elements->size() != 1)
      return {};
    const Size &count = elements->front();
    return open.bounds(count).least < 0 ? open.combined(Symbol::Kind::greatest, count, Size(0)) : count;
  }

  // Whether the condition is true before the first step and after every step.
  bool isEndless() const {
    const auto condition =
        node.has(1) ? node.constant(1, "the condition") : Result<Tensor>(Tensor::scalar(true));
    const bool begins = condition && condition->dtype() == DType::boolean && condition->elementCount() == 1 &&
                        condition->as<bool>()[0];
    const std::string &next = body.output(0).name();
    return begins && (origin(next) == body.input(1).name() || isTrue(next));
  }

  // --- Results ---

  // A result of initial shape `sizes`, to which each step appends `length` elements along `axis`.
  LoopResult grown(mlir::Type element, Sizes sizes, int64_t axis, const Size &length,
                   const Size &count) const {
    const auto at = static_cast<size_t>(axis);
    sizes[at] = sizes[at] + count * length;
    return {element, std::move(sizes), isEndless() ? std::nullopt : std::optional(at)};
  }

  std::optional<LoopResult> variable(size_t index, const Size &count) const {
    const mlir::Value initial = node.input(2 + index);
    const std::string &before = body.input(static_cast<int>(2 + index)).name(),
                      &after = body.output(static_cast<int>(1 + index)).name();
    if (!initial || !isStatic(initial))
      return {};
    const auto type = graph::tensorType(initial);
    if (origin(after) == before)
      return LoopResult{type.getElementType(), open.shape(initial), {}};
    const onnx::NodeProto *const join = producer(after);
    if (!join || join->op_type() != "Concat")
      return {};
    std::optional<int64_t> axis;
    for (const onnx::AttributeProto &attribute : join->attribute())
      if (attribute.name() == "axis")
        if (const auto inside = node.axis(attribute.i(), type.getRank()))
          axis = *inside;
    if (!axis)
      return {};
    Size length;
    size_t self = 0;
    for (const std::string &operand : join->input()) {
      if (origin(operand) == before) {
        ++self;
        continue;
      }
      const std::optional<Size> more = lengthAlong(operand, *axis, type.getRank());
      if (!more)
        return {};
      length = length + *more;
    }
    return self == 1 ? std::optional(grown(type.getElementType(), open.shape(initial), *axis, length, count))
                     : std::nullopt;
  }

  // The size along `axis` of a tensor that the body reads; empty unless its rank is `rank` and the size is known.
  std::optional<Size> lengthAlong(const std::string &name, int64_t axis, int64_t rank) const {
    if (const onnx::NodeProto *inner = producer(name); inner && inner->op_type() == "Unsqueeze") {
      std::optional<Ints> axes = inner->input_size() > 1 ? constantInts(inner->input(1)) : std::nullopt;
      for (const onnx::AttributeProto &attribute : inner->attribute())
        if (attribute.name() == "axes")
          axes = Ints(attribute.ints().begin(), attribute.ints().end());
      const bool isNew = axes && llvm::any_of(*axes, [&](int64_t at) {
                           const auto inside = node.axis(at, rank);
                           return inside && *inside == axis;
                         });
      return isNew ? std::optional(Size(1)) : std::nullopt;
    }
    if (const mlir::Value value = outer(origin(name)); value && graph::tensorType(value).getRank() == rank)
      return open.shape(value)[static_cast<size_t>(axis)];
    const std::optional<Tensor> tensor = constant(name);
    return tensor && static_cast<int64_t>(tensor->rank()) == rank
               ? std::optional(Size(tensor->shape()[static_cast<size_t>(axis)]))
               : std::nullopt;
  }

  // A result that collects a tensor of every step along a new first axis, if the body declares the tensor's shape.
  std::optional<LoopResult> collected(size_t index, const Size &count) const {
    const mlir::RankedTensorType type = around.typeOf(body.output(static_cast<int>(1 + index)));
    if (!type || !type.hasStaticShape())
      return {};
    Sizes sizes = {Size(0)};
    for (const int64_t size : type.getShape())
      sizes.push_back(Size(size));
    return grown(type.getElementType(), std::move(sizes), 0, Size(1), count);
  }

  GraphImporter &around;
  const NodeReader &node;
  OpenTensors &open;
  const onnx::GraphProto &body;
  const size_t carried; // number of variables that the loop carries
  std::map<std::string, const onnx::NodeProto *> producers;
};

} // namespace

std::optional<std::vector<LoopResult>> growingLoopResults(GraphImporter &around, const NodeReader &node) {
  const onnx::AttributeProto *const body = node.attribute("body");
  if (node.proto().op_type() != "Loop" || !body || !body->has_g())
    return {};
  return GrowingLoop(around, node, body->g()).results();
}

bool isBoundedGrowingLoop(GraphImporter &around, const NodeReader &node) {
  const auto results = growingLoopResults(around, node);
  return results && llvm::all_of(*results, [&](const LoopResult &result) {
           return around.open().most(result.sizes).has_value();
         });
}

} // namespace tilerig::compiler
