#include "compiler/Reports/Layers/Metadata.h"

#include "compiler/Export/OrderedNames.h"
#include "compiler/Graph/IR/Graph.h"
#include "compiler/Graph/IR/Origins.h"
#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Layer/Facts/Decisions.h"
#include "compiler/Layer/IR/Types.h"
#include "isa/Base/Support/Json.h"

#include <llvm/ADT/TypeSwitch.h>

namespace tilerig::compiler {

namespace {

using Json = nlohmann::json;

constexpr int formatVersion = 1;

Json nodesJson(llvm::ArrayRef<std::string> nodes, const NodeTypes &types) {
  Json all = Json::array();
  for (const std::string &node : nodes) {
    Json entry = {{"node", node}};
    // The importer names the operations that a node becomes NODE#PART.
    auto type = types.find(node);
    if (type == types.end())
      type = types.find(node.substr(0, node.rfind('#')));
    if (type != types.end())
      entry["op"] = type->second;
    all.push_back(std::move(entry));
  }
  return all;
}

// A JSON record of a layer or operation. Contains the fields that all such records have: number, name, kind
// and ONNX nodes.
Json record(size_t id, const std::string &kind, mlir::Location location, const NodeTypes &types) {
  const llvm::SmallVector<std::string> nodes = graph::nodeNames(location);
  Json json = {{"id", id}, {"name", nodes.empty() ? "" : nodes.back()}, {"kind", kind}};
  json["onnx"] = nodesJson(nodes, types);
  json["first_onnx_op"] = nodes.empty() ? "" : nodes.front();
  json["last_onnx_op"] = nodes.empty() ? "" : nodes.back();
  return json;
}

Json elementJson(mlir::Type element) {
  Json json = {{"type", elementName(element)}};
  if (const auto scaling = scalingOf(element)) {
    json["scale"] = scaling->scales;
    json["zero_point"] = scaling->zeroPoints;
    if (scaling->axis >= 0)
      json["axis"] = scaling->axis;
  }
  return json;
}

Json tensorJson(mlir::Value value) {
  Json json = elementJson(layer::elementOf(value));
  json["shape"] = graph::shapeOf(value).vec();
  json["bytes"] = storedBytes(value);
  json["tensor"] = Json();
  if (const auto origin = graph::tensorOrigin(value)) {
    json["tensor"] = origin->name;
    if (!origin->order.empty())
      json["axes"] = std::vector<int64_t>(origin->order.begin(), origin->order.end());
  }
  return json;
}

// --- JSON records of layers ---

// Adds the name of the tensor in the exported ONNX model and, if the tensor has another axis order there than
// in the layer, that order.
void addEmitted(Json &json, mlir::Value value, const TensorNames *emitted) {
  if (!emitted)
    return;
  const ExportedTensor &tensor = emitted->tensors.at(value);
  json["emitted"] = tensor.name;
  if (!isIdentity(tensor.order))
    json["emitted_axes"] = std::vector<int64_t>(tensor.order.begin(), tensor.order.end());
}

Json inputJson(const TensorCard &input, const TensorNames *emitted) {
  Json json = tensorJson(input.value);
  addEmitted(json, input.value, emitted);
  json["role"] = input.role;
  json["constant"] = input.from.empty();
  json["layer"] = input.producer ? Json(input.producer) : Json();
  return json;
}

Json attributesJson(const Card &card) {
  Json all = Json::object();
  for (const CardAttribute &attribute : card.attributes)
    std::visit([&](const auto &value) { all[attribute.name] = value; }, attribute.value);
  if (!card.activation.empty())
    all["Activation"] = card.activation;
  return all;
}

Json layerJson(const Card &card, const NodeTypes &types, const TensorNames *emitted) {
  Json json = record(card.id, card.kind, card.layer->getLoc(), types);
  json["inputs"] = json["outputs"] = json["decisions"] = Json::array();
  for (const TensorCard &input : card.inputs)
    json["inputs"].push_back(inputJson(input, emitted));
  for (const TensorCard &output : card.outputs) {
    json["outputs"].push_back(tensorJson(output.value));
    addEmitted(json["outputs"].back(), output.value, emitted);
  }
  if (const auto middle = card.layer->getAttrOfType<mlir::TypeAttr>("middle"))
    json["middle"] = elementJson(middle.getValue());
  json["attributes"] = attributesJson(card);
  json["macs"] = card.macs;
  json["parameters"] = card.parameters;
  json["bytes_in"] = card.cost.bytesIn;
  json["bytes_out"] = card.cost.bytesOut;
  json["nanoseconds"] = card.cost.nanoseconds;
  json["where"] = tierOf(card.layer);
  if (const auto region = card.layer->getAttrOfType<mlir::IntegerAttr>(regionAttribute))
    json["region"] = region.getInt();
  for (const Decision &decision : decisionsOf(card))
    json["decisions"].push_back({{"what", decision.choice}, {"reason", decision.reason}});
  return json;
}

Json totals(const Json &records, const char *name) {
  uint64_t sum = 0;
  for (const Json &entry : records)
    sum += entry[name].get<uint64_t>();
  return sum;
}

uint64_t countOf(mlir::Value value) {
  return static_cast<uint64_t>(graph::tensorType(value).getNumElements());
}

// How many weights have the same index along the first axis of the weight tensor.
uint64_t weightsOfOne(mlir::Value weights) {
  uint64_t count = 1;
  for (const int64_t size : graph::shapeOf(weights).drop_front())
    count *= static_cast<uint64_t>(size);
  return count;
}

uint64_t graphMacs(mlir::Operation *operation) {
  return llvm::TypeSwitch<mlir::Operation *, uint64_t>(operation)
      .Case([](graph::ConvOp op) { return countOf(op.getOutput()) * weightsOfOne(op.getWeights()); })
      // A transposed convolution multiplies each input element by all weights of the element's input channel.
      .Case([](graph::ConvTransposeOp op) { return countOf(op.getInput()) * weightsOfOne(op.getWeights()); })
      .Case([](graph::MatMulOp op) {
        return countOf(op.getOutput()) * static_cast<uint64_t>(graph::shapeOf(op.getA()).back());
      })
      .Case([](graph::GemmOp op) {
        return countOf(op.getOutput()) *
               static_cast<uint64_t>(graph::shapeOf(op.getA())[op.getTransA() ? 0 : 1]);
      })
      .Default([](mlir::Operation *) { return uint64_t{0}; });
}

std::string graphKind(mlir::Operation *operation) {
  if (auto opaque = llvm::dyn_cast<graph::OpaqueOp>(operation))
    return opaque.getNodeType().str();
  return operation->getName().stripDialect().str();
}

Json operationJson(mlir::Operation *operation, size_t id,
                   const llvm::DenseMap<mlir::Operation *, size_t> &ids, const NodeTypes &types) {
  Json json = record(id, graphKind(operation), operation->getLoc(), types);
  json["inputs"] = json["outputs"] = Json::array();
  uint64_t parameters = 0;
  for (const mlir::Value operand : operation->getOperands()) {
    Json input = tensorJson(operand);
    const bool isConstant = static_cast<bool>(operand.getDefiningOp<graph::ConstantOp>());
    const auto producer = ids.find(operand.getDefiningOp());
    input["constant"] = isConstant;
    input["operation"] = producer == ids.end() ? Json() : Json(producer->second);
    json["inputs"].push_back(std::move(input));
    if (isConstant && llvm::isa<mlir::FloatType>(layer::elementOf(operand)))
      parameters += countOf(operand);
  }
  for (const mlir::Value result : operation->getResults())
    json["outputs"].push_back(tensorJson(result));
  json["macs"] = graphMacs(operation);
  json["parameters"] = parameters;
  return json;
}

Json document(const char *level, const char *list, Json records) {
  return {{"file_type", level},
          {"version", formatVersion},
          {"macs", totals(records, "macs")},
          {"parameters", totals(records, "parameters")},
          {list, std::move(records)}};
}

} // namespace

Json layerMetadata(const std::vector<Card> &cards, const Machine &machine, const NodeTypes &types,
                   const TensorNames *emitted) {
  Json layers = Json::array();
  for (const Card &card : cards)
    layers.push_back(layerJson(card, types, emitted));
  Json json = document("layer", "layers", std::move(layers));
  json["machine"] = machine.name;
  return json;
}

Json graphMetadata(mlir::func::FuncOp function, const NodeTypes &types) {
  Json operations = Json::array();
  llvm::DenseMap<mlir::Operation *, size_t> ids;
  for (mlir::Operation &operation : function.getBody().front().without_terminator())
    if (!llvm::isa<graph::ConstantOp>(operation)) {
      const size_t id = operations.size() + 1;
      operations.push_back(operationJson(&operation, id, ids, types));
      ids[&operation] = id;
    }
  return document("graph", "operations", std::move(operations));
}

} // namespace tilerig::compiler
