#include "compiler/Listing/Metadata.h"

#include "compiler/Dialect/Graph/Graph.h"
#include "compiler/Dialect/Graph/Origins.h"
#include "compiler/Dialect/Graph/Shapes.h"
#include "compiler/Dialect/Layer/Types.h"
#include "compiler/Export/OrderedNames.h"
#include "compiler/Import/Import.h"
#include "compiler/Listing/Decisions.h"
#include "isa/Base/Support/Json.h"

#include <llvm/ADT/TypeSwitch.h>

namespace tilerig::compiler {

namespace {

using Json = nlohmann::json;

constexpr int formatVersion = 1;

Json nodesJson(llvm::ArrayRef<std::string> nodes, const NodeTypes &types) {
  Json all = Json::array();
  for (const std::string &node : nodes) {
    Json it = {{"node", node}};
    if (const auto type = types.find(node); type != types.end())
      it["op"] = type->second;
    all.push_back(std::move(it));
  }
  return all;
}

// A record of a layer or operation, with the fields that all records begin with.
Json record(size_t id, const std::string &kind, mlir::Location location, const NodeTypes &types) {
  const llvm::SmallVector<std::string> nodes = graph::nodeNames(location);
  Json it = {{"id", id}, {"name", nodes.empty() ? "" : nodes.back()}, {"kind", kind}};
  it["onnx"] = nodesJson(nodes, types);
  it["first_onnx_op"] = nodes.empty() ? "" : nodes.front();
  it["last_onnx_op"] = nodes.empty() ? "" : nodes.back();
  return it;
}

Json elementJson(mlir::Type element) {
  Json it = {{"type", elementName(element)}};
  if (const auto scaling = scalingOf(element)) {
    it["scale"] = scaling->scales;
    it["zero_point"] = scaling->zeroPoints;
    if (scaling->axis >= 0)
      it["axis"] = scaling->axis;
  }
  return it;
}

Json tensorJson(mlir::Value value) {
  Json it = elementJson(layer::elementOf(value));
  it["shape"] = graph::shapeOf(value).vec();
  it["bytes"] = storedBytes(value);
  it["tensor"] = Json();
  if (const auto origin = graph::tensorOrigin(value)) {
    it["tensor"] = origin->name;
    if (!origin->order.empty())
      it["axes"] = std::vector<int64_t>(origin->order.begin(), origin->order.end());
  }
  return it;
}

// --- Layers ---

// Adds the name of the tensor in the emitted model, and the order of its axes there if that order differs.
void addEmitted(Json &it, mlir::Value value, const ExportedModel *emitted) {
  if (!emitted)
    return;
  const ExportedTensor &tensor = emitted->tensors.at(value);
  it["emitted"] = tensor.name;
  if (!isIdentity(tensor.order))
    it["emitted_axes"] = std::vector<int64_t>(tensor.order.begin(), tensor.order.end());
}

Json inputJson(const TensorCard &input, const ExportedModel *emitted) {
  Json it = tensorJson(input.value);
  addEmitted(it, input.value, emitted);
  it["role"] = input.role;
  it["constant"] = input.from.empty();
  it["layer"] = input.producer ? Json(input.producer) : Json();
  return it;
}

Json attributesJson(const Card &card) {
  Json all = Json::object();
  for (const CardAttribute &attribute : card.attributes)
    std::visit([&](const auto &value) { all[attribute.name] = value; }, attribute.value);
  if (!card.activation.empty())
    all["Activation"] = card.activation;
  return all;
}

Json layerJson(const Card &card, const NodeTypes &types, const ExportedModel *emitted) {
  Json it = record(card.id, card.kind, card.layer->getLoc(), types);
  it["inputs"] = it["outputs"] = it["decisions"] = Json::array();
  for (const TensorCard &input : card.inputs)
    it["inputs"].push_back(inputJson(input, emitted));
  for (const TensorCard &output : card.outputs) {
    it["outputs"].push_back(tensorJson(output.value));
    addEmitted(it["outputs"].back(), output.value, emitted);
  }
  if (const auto middle = card.layer->getAttrOfType<mlir::TypeAttr>("middle"))
    it["middle"] = elementJson(middle.getValue());
  it["attributes"] = attributesJson(card);
  it["macs"] = card.macs;
  it["parameters"] = card.parameters;
  it["bytes_in"] = card.cost.bytesIn;
  it["bytes_out"] = card.cost.bytesOut;
  it["nanoseconds"] = card.cost.nanoseconds;
  it["where"] = placeOf(card.layer) == LayerPlace::host ? "host" : "accelerator";
  if (const auto region = card.layer->getAttrOfType<mlir::IntegerAttr>(regionAttribute))
    it["region"] = region.getInt();
  for (const Decision &decision : decisionsOf(card))
    it["decisions"].push_back({{"what", decision.what}, {"reason", decision.reason}});
  return it;
}

Json totals(const Json &records, const char *name) {
  uint64_t sum = 0;
  for (const Json &it : records)
    sum += it[name].get<uint64_t>();
  return sum;
}

// --- Operations of the level `graph` ---

uint64_t countOf(mlir::Value value) {
  return static_cast<uint64_t>(graph::tensorType(value).getNumElements());
}

// Number of weights per index of the first axis.
uint64_t weightsOfOne(mlir::Value weights) {
  uint64_t count = 1;
  for (const int64_t size : graph::shapeOf(weights).drop_front())
    count *= static_cast<uint64_t>(size);
  return count;
}

uint64_t graphMacs(mlir::Operation *operation) {
  return llvm::TypeSwitch<mlir::Operation *, uint64_t>(operation)
      .Case([](graph::ConvOp op) { return countOf(op.getOutput()) * weightsOfOne(op.getWeights()); })
      .Case([](graph::ConvTransposeOp op) { // each input element is multiplied by all weights of its channel
        return countOf(op.getInput()) * weightsOfOne(op.getWeights());
      })
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
  Json it = record(id, graphKind(operation), operation->getLoc(), types);
  it["inputs"] = it["outputs"] = Json::array();
  uint64_t parameters = 0;
  for (const mlir::Value operand : operation->getOperands()) {
    Json input = tensorJson(operand);
    const bool isConstant = static_cast<bool>(operand.getDefiningOp<graph::ConstantOp>());
    const auto producer = ids.find(operand.getDefiningOp());
    input["constant"] = isConstant;
    input["operation"] = producer == ids.end() ? Json() : Json(producer->second);
    it["inputs"].push_back(std::move(input));
    if (isConstant && llvm::isa<mlir::FloatType>(layer::elementOf(operand)))
      parameters += countOf(operand);
  }
  for (const mlir::Value result : operation->getResults())
    it["outputs"].push_back(tensorJson(result));
  it["macs"] = graphMacs(operation);
  it["parameters"] = parameters;
  return it;
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
                   const ExportedModel *emitted) {
  Json layers = Json::array();
  for (const Card &card : cards)
    layers.push_back(layerJson(card, types, emitted));
  Json made = document("layer", "layers", std::move(layers));
  made["machine"] = machine.name;
  return made;
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
