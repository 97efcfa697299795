#include "compiler/Tile/FromLayer/FormDeviceOps.h"

#include "compiler/Export/Export.h"
#include "compiler/Graph/IR/Origins.h"
#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/Layer/Facts/Decisions.h"
#include "compiler/Layer/IR/DequantisedOutput.h"
#include "compiler/Tile/FromLayer/DeviceOpBuilder.h"

namespace tilerig::compiler {

namespace {

proto::Attribute attributeOf(mlir::Attribute value) {
  proto::Attribute attribute;
  if (const auto integer = llvm::dyn_cast<mlir::IntegerAttr>(value))
    attribute.add_ints(integer.getInt());
  else if (const auto real = llvm::dyn_cast<mlir::FloatAttr>(value))
    attribute.add_floats(static_cast<float>(real.getValueAsDouble()));
  else if (const auto text = llvm::dyn_cast<mlir::StringAttr>(value))
    attribute.set_text(text.getValue().str());
  else if (const auto array = llvm::dyn_cast<mlir::DenseI64ArrayAttr>(value))
    for (const int64_t number : array.asArrayRef())
      attribute.add_ints(number);
  else if (const auto floats = llvm::dyn_cast<mlir::DenseF32ArrayAttr>(value))
    for (const float number : floats.asArrayRef())
      attribute.add_floats(number);
  else if (const auto list = llvm::dyn_cast<mlir::ArrayAttr>(value))
    for (const mlir::Attribute element : list) {
      const proto::Attribute one = attributeOf(element);
      attribute.MergeFrom(one);
    }
  return attribute;
}

class Former {
public:
  Former(mlir::func::FuncOp function, const std::vector<Card> &cards, const NodeTypes &types,
         const TensorNames &names)
      : function(function), cards(cards), types(types), names(names), builder(network) {}

  Result<DeviceNetwork> form() {
    for (const mlir::Value argument : function.getArguments()) {
      TILERIG_TRY(const TensorIndex input, builder.tensor(argument));
      name(argument, input, true);
      network.inputs.push_back(input);
    }
    for (const Card &card : cards) {
      describe(card);
      builder.begin(card.layer, static_cast<uint32_t>(network.layers.size() - 1));
      TILERIG_CHECK_OK(formLayer(card.layer));
      for (const mlir::Value result : card.layer->getResults()) {
        TILERIG_TRY(const TensorIndex tensor, builder.tensor(result));
        name(result, tensor, false);
      }
    }
    TILERIG_CHECK_OK(formOutputs());
    return std::move(network);
  }

private:
  void describe(const Card &card) {
    NetworkLayer layer{.name = card.nodes.empty() ? card.kind : card.nodes.back(),
                       .kind = card.kind,
                       .onnxNodes = card.nodes,
                       .onHost = placeOf(card.layer) == LayerPlace::host,
                       .inFramework = tierOf(card.layer) == "framework",
                       .macs = card.macs};
    if (layer.onHost)
      layer.hostNanoseconds = card.cost.nanoseconds;
    for (const std::string &node : card.nodes)
      if (const auto type = types.find(node); type != types.end())
        layer.onnxOps.push_back(type->second);
    for (const Decision &decision : decisionsOf(card))
      layer.decisions[decision.choice] = decision.reason;
    network.layers.push_back(std::move(layer));
  }

  // Copies the name, type and axes of a tensor from the exported ONNX model. `isOutside` states whether the
  // tensor is an input or output of the network.
  void name(mlir::Value value, TensorIndex index, bool isOutside) {
    const auto entry = names.tensors.find(value);
    if (entry == names.tensors.end())
      return;
    DeviceTensor &tensor = network.tensors[index];
    tensor.name = entry->second.name;
    const mlir::Type element = layer::elementOf(value);
    // The metadata describe quantised inputs and outputs of the network by their integer type, and quantised
    // tensors between layers as float32, as in the unquantised model.
    tensor.modelType = layer::quantisedOf(element) && !isOutside ? "float32" : dtypeText(element);
    tensor.modelAxes.assign(static_cast<size_t>(tensor.modelRank), 0);
    for (size_t i = 0; i < entry->second.order.size(); ++i)
      tensor.modelAxes[static_cast<size_t>(entry->second.order[i])] = static_cast<int64_t>(i);
  }
  static std::string dtypeText(mlir::Type element) {
    if (const auto quantised = layer::quantisedOf(element))
      return quantised.getStorageTypeIntegralWidth() == 16 ? "int16"
             : quantised.isSigned()                        ? "int8"
                                                           : "uint8";
    return std::string(nameOf(*dtypeOfElement(element)));
  }

  Status formLayer(mlir::Operation *layer) {
    if (auto host = llvm::dyn_cast<layer::HostOp>(layer))
      return formHost(host);
    for (const auto family : {formProducts, formElementwise, formImages, formRows, formMovement}) {
      TILERIG_TRY(const bool isFormed, family(layer, builder));
      if (isFormed)
        return success();
    }
    return builder.refuse("the compiler has no instructions for this layer");
  }

  Status formHost(layer::HostOp host) {
    HostStep step{.kernel = host.getKernel().str()};
    size_t next = 0;
    for (const bool isPresent : host.getPresent()) {
      if (!isPresent) {
        step.inputs.emplace_back();
        continue;
      }
      const mlir::Value input = host.getInputs()[next++];
      TILERIG_TRY(const TensorIndex tensor, builder.tensor(input));
      if (network.tensors[tensor].name.empty())
        name(input, tensor, false);
      TILERIG_CHECK_OK(verifyOrder(tensor));
      step.inputs.emplace_back(tensor);
    }
    for (const mlir::Value output : host.getOutputs()) {
      TILERIG_TRY(const TensorIndex tensor, builder.tensor(output));
      step.outputs.push_back(tensor);
    }
    for (const mlir::NamedAttribute parameter : host.getParameters())
      step.attributes[parameter.getName().str()] = attributeOf(parameter.getValue());
    builder.add(std::move(step));
    return success();
  }

  // Checks that a tensor has the same axis order on the device as in the ONNX model. The program describes
  // the tensors of host kernels in the model's order, but passes them to the kernels in the device's order,
  // so the two must be equal.
  Status verifyOrder(TensorIndex index) const {
    const DeviceTensor &tensor = network.tensors[index];
    return std::ranges::is_sorted(tensor.modelAxes)
               ? success()
               : Status(internalError(tensor.name,
                                      "a host kernel would read this tensor in another order of axes"));
  }

  // Sets the outputs of the network. Each output needs a tensor of its own, which is neither an input nor a
  // constant nor another output.
  Status formOutputs() {
    auto *terminator = function.getBody().front().getTerminator();
    for (mlir::OpOperand &output : terminator->getOpOperands()) {
      const mlir::Value value = output.get();
      TILERIG_TRY(const TensorIndex tensor, builder.tensor(value));
      const bool isTaken = std::ranges::find(network.outputs, tensor) != network.outputs.end();
      if (!value.getDefiningOp() || network.tensors[tensor].constant() || isTaken)
        return unsupported("the network",
                           "an output of the network is also an input, a constant or another output",
                           "compute each output by a layer of its own");
      const unsigned number = output.getOperandNumber();
      if (const auto dequantised = layer::dequantisedOutput(function, number))
        setDequantised(network.tensors[tensor], number, *dequantised);
      else
        name(value, tensor, true);
      if (const auto sizes = function.getResultAttrOfType<mlir::StringAttr>(number, sizesAttribute))
        network.tensors[tensor].cut = {names.outputs[number], sizes.str()};
      network.outputs.push_back(tensor);
    }
    return success();
  }

  void setDequantised(DeviceTensor &tensor, unsigned output, const layer::DequantisedOutput &how) const {
    const graph::Order axes = graph::inverse(how.order);
    tensor.dequantised = {
        names.outputs[output], {how.shape.begin(), how.shape.end()}, {axes.begin(), axes.end()}};
  }

  mlir::func::FuncOp function;
  const std::vector<Card> &cards;
  const NodeTypes &types;
  const TensorNames &names;
  DeviceNetwork network;
  DeviceOpBuilder builder;
};

} // namespace

Result<DeviceNetwork> formDeviceOps(mlir::ModuleOp module, const TileLowering &lowering) {
  auto function = module.lookupSymbol<mlir::func::FuncOp>("main");
  if (!function)
    return invalidInput(module.getName().value_or("module").str(), "the module has no function 'main'");
  TILERIG_TRY(const TensorNames names, exportedNames(module));
  const std::vector<Card> cards = cardsOf(function, lowering.machine);
  TILERIG_TRY(DeviceNetwork network, Former(function, cards, lowering.nodeTypes, names).form());
  network.name = lowering.name;
  return network;
}

} // namespace tilerig::compiler
