#include "compiler/Layer/Partition/Layers.h"

#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/Layer/IR/Types.h"
#include "compiler/Planning/Cost/Movement.h"
#include "isa/Program/HostSignature.h"
#include "isa/Timing/Host.h"

#include <fmt/core.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>

namespace tilerig::compiler {

namespace {

using graph::shapeOf;
using graph::tensorType;

bool isConstant(mlir::Operation *operation) { return llvm::isa<layer::ConstantOp>(operation); }

using Shapes = std::vector<std::vector<int64_t>>;

// Shapes of a host kernel's inputs; an optional input that is absent has shape [0].
Shapes inputShapes(mlir::ValueRange inputs, llvm::ArrayRef<bool> present) {
  Shapes shapes;
  size_t next = 0;
  for (const bool isPresent : present)
    shapes.push_back(isPresent ? shapeOf(inputs[next++]).vec() : std::vector<int64_t>{0});
  return shapes;
}

Shapes outputShapes(mlir::ValueRange outputs) {
  Shapes shapes;
  for (const mlir::Value output : outputs)
    shapes.push_back(shapeOf(output).vec());
  return shapes;
}

constexpr uint64_t divideUp(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

HostWorkload::Numbers numbersOf(llvm::ArrayRef<mlir::NamedAttribute> parameters) {
  HostWorkload::Numbers numbers;
  for (const mlir::NamedAttribute parameter : parameters)
    if (const auto integer = llvm::dyn_cast<mlir::IntegerAttr>(parameter.getValue()))
      numbers.emplace(parameter.getName().str(), static_cast<double>(integer.getInt()));
    else if (const auto real = llvm::dyn_cast<mlir::FloatAttr>(parameter.getValue()))
      numbers.emplace(parameter.getName().str(), real.getValueAsDouble());
  return numbers;
}

const PodRate &rateOf(mlir::Operation *layer, const PodFigures &pod) {
  const mlir::Type element = layer::elementOf(layer->getOperand(0));
  if (layer::quantisedOf(element))
    return pod.int8;
  return element.isF16() || element.isBF16() ? pod.half : pod.single;
}

uint64_t product(llvm::ArrayRef<int64_t> sizes) {
  uint64_t all = 1;
  for (const int64_t size : sizes)
    all *= static_cast<uint64_t>(size);
  return all;
}

} // namespace

std::vector<mlir::Operation *> layersOf(mlir::func::FuncOp function) {
  std::vector<mlir::Operation *> layers;
  for (mlir::Operation &operation : function.getBody().front().without_terminator())
    if (!isConstant(&operation))
      layers.push_back(&operation);
  return layers;
}

LayerPlace placeOf(mlir::Operation *layer) {
  return llvm::isa<layer::HostOp>(layer) ? LayerPlace::host : LayerPlace::accelerator;
}

std::string_view tierOf(mlir::Operation *layer) {
  auto host = llvm::dyn_cast<layer::HostOp>(layer);
  return !host ? "accelerator" : host.getKernel() == llvm::StringRef(frameworkKernel) ? "framework" : "host";
}

std::string reasonOfPlace(mlir::Operation *layer) {
  if (const auto placement = layer->getAttrOfType<mlir::StringAttr>(placementAttribute))
    return placement.getValue().str();
  if (auto host = llvm::dyn_cast<layer::HostOp>(layer))
    return fmt::format("the accelerator has no layer for {}, and the host has a kernel",
                       host.getKernel().str());
  return "the accelerator supports it";
}

std::vector<PlacedLayer> placedLayers(const std::vector<mlir::Operation *> &layers) {
  llvm::DenseMap<mlir::Operation *, size_t> indices;
  std::vector<PlacedLayer> placed;
  for (mlir::Operation *layer : layers) {
    PlacedLayer placedLayer{placeOf(layer), {}};
    for (const mlir::Value operand : layer->getOperands())
      if (const auto entry = indices.find(operand.getDefiningOp()); entry != indices.end())
        placedLayer.readsFrom.push_back(entry->second);
    indices[layer] = placed.size();
    placed.push_back(std::move(placedLayer));
  }
  return placed;
}

// The longer of two times: for the multiplications, if all tiles work at peak rate, and for the transfer of
// all operands and results from and to DDR. (A plan that keeps tensors on the chip may be faster.)
uint64_t acceleratorNanoseconds(mlir::Operation *layer, const Machine &machine) {
  uint64_t bytes = 0;
  for (const mlir::Value operand : layer->getOperands())
    bytes += storedBytes(operand);
  for (const mlir::Value result : layer->getResults())
    bytes += storedBytes(result);
  const uint64_t moving = MovementCosts(machine, machine.network.tiles).ddrCycles(bytes);
  uint64_t cycles = moving;
  if (const uint64_t macs = macsOf(layer)) {
    const PodRate &rate = rateOf(layer, machine.pod);
    cycles = std::max(
        moving, divideUp(macs, uint64_t{rate.positions} * rate.outputs * rate.k * machine.network.tiles));
  }
  return divideUp(cycles * 1000, machine.clockMegahertz);
}

// The number of operations of some kernels depends on the values of tensors, which are unknown at compile
// time. For these a typical number is returned.
uint64_t operationsOnHost(mlir::Operation *layer, const std::optional<HostForm> &form) {
  auto host = llvm::dyn_cast<layer::HostOp>(layer);
  if (!host && !form)
    return 0;
  const llvm::SmallVector<bool> all(layer->getNumOperands(), true);
  const Shapes inputs = inputShapes(layer->getOperands(), host ? host.getPresent() : llvm::ArrayRef(all)),
               outputs = outputShapes(layer->getResults());
  return operationsOfKernel(
      host ? host.getKernel() : form->kernel,
      {inputs, outputs, numbersOf(host ? host.getParameters().getValue() : form->parameters)});
}

std::vector<LayerCost> costsOf(const std::vector<mlir::Operation *> &layers, const Machine &machine) {
  std::vector<LayerCost> costs;
  // tensors that layers of the current host region have read or computed so far
  llvm::DenseSet<mlir::Value> atHand;
  bool isInCall = false;
  for (mlir::Operation *layer : layers) {
    auto host = llvm::dyn_cast<layer::HostOp>(layer);
    if (!host || !isInCall)
      atHand.clear();
    LayerCost cost;
    for (const mlir::Value operand : layer->getOperands())
      if (!host || atHand.insert(operand).second)
        cost.bytesIn += storedBytes(operand);
    for (const mlir::Value result : layer->getResults()) {
      cost.bytesOut += storedBytes(result);
      atHand.insert(result);
    }
    cost.nanoseconds =
        host ? hostNanoseconds(
                   {.beginsCall = !isInCall, .bytesFetched = cost.bytesIn, .bytesPut = cost.bytesOut},
                   operationsOnHost(layer, std::nullopt))
             : acceleratorNanoseconds(layer, machine);
    isInCall = static_cast<bool>(host);
    costs.push_back(cost);
  }
  return costs;
}

uint64_t storedBytes(mlir::Value value) {
  const mlir::Type element = layer::elementOf(value);
  if (const auto type = dtypeOfElement(element); type && !layer::isForInstructions(element))
    // only the host uses the tensor, so it is stored in its own type
    return product(shapeOf(value)) * sizeBytes(*type);
  const ElementType otherwise = llvm::isa<mlir::FloatType>(element) ? ElementType::fp32
                                : element.isInteger(1)              ? ElementType::u8
                                                                    : ElementType::i32;
  return product(shapeOf(value)) * sizeBytes(layer::storedAs(element).value_or(otherwise));
}

uint64_t macsOf(mlir::Operation *layer) {
  if (auto conv = llvm::dyn_cast<layer::ConvOp>(layer))
    return product(shapeOf(conv.getOutput())) * product(shapeOf(conv.getWeights()).drop_front());
  if (auto matmul = llvm::dyn_cast<layer::MatMulOp>(layer))
    return product(shapeOf(matmul.getOutput())) * static_cast<uint64_t>(shapeOf(matmul.getA()).back());
  return 0;
}

} // namespace tilerig::compiler
