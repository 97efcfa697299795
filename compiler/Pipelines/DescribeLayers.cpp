#include "compiler/Pipelines/DescribeLayers.h"

#include "compiler/Graph/IR/Origins.h"
#include "compiler/Layer/Facts/Cards.h"
#include "compiler/Layer/IR/Types.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

namespace tilerig::compiler {

namespace {

LayerElement elementOf(mlir::Type type) {
  LayerElement element{elementName(type), {}, {}, -1};
  if (auto scaling = scalingOf(type)) {
    element.scales = std::move(scaling->scales);
    element.zeroPoints = std::move(scaling->zeroPoints);
    element.axis = scaling->axis;
  }
  return element;
}

LayerTensor tensorOf(const TensorCard &card, const TensorNames &written) {
  const ExportedTensor &there = written.tensors.at(card.value);
  return {there.name,
          {there.order.begin(), there.order.end()},
          elementOf(layer::elementOf(card.value)),
          card.role,
          card.from.empty()};
}

std::string keyOf(const Card &card) {
  std::string key = fmt::format("{} of {}", card.kind, fmt::join(card.nodes, ", "));
  if (const auto origin = graph::tensorOrigin(card.outputs.front().value))
    key += fmt::format(" as {} [{}]", origin->name, fmt::join(origin->order, ", "));
  return key;
}

} // namespace

std::vector<DescribedLayer> describeLayers(mlir::func::FuncOp function, const Machine &machine,
                                           const TensorNames &written) {
  std::vector<DescribedLayer> layers;
  for (const Card &card : cardsOf(function, machine)) {
    DescribedLayer layer;
    layer.key = keyOf(card);
    layer.name = card.nodes.empty() ? "" : card.nodes.back();
    layer.kind = card.kind;
    layer.function = card.activation;
    // Drops the parameters from the text of an activation function: "clip(0, 6)" becomes "clip".
    layer.function.resize(std::min(layer.function.size(), layer.function.find('(')));
    layer.onHost = placeOf(card.layer) == LayerPlace::host;
    for (const TensorCard &input : card.inputs)
      layer.inputs.push_back(tensorOf(input, written));
    for (const TensorCard &output : card.outputs)
      layer.outputs.push_back(tensorOf(output, written));
    if (const auto middle = card.layer->getAttrOfType<mlir::TypeAttr>("middle"))
      layer.middle = elementOf(middle.getValue());
    layers.push_back(std::move(layer));
  }
  return layers;
}

} // namespace tilerig::compiler
