// Cards of layers. A card contains everything that a report or the metadata state about one layer.
#pragma once

#include "compiler/Layer/Facts/Tensors.h"
#include "compiler/Layer/Partition/Layers.h"

#include <variant>

namespace tilerig::compiler {

// An operand or result of a layer with its role, its shape and the names of its axes.
struct TensorCard {
  std::string role; // "Input", "Weight", "Bias", "Gain", "Shift", "Constant", "Addend"
  mlir::Value value;
  std::string legend = {};      // names of the axes, such as "[batch, inC, H, W]"; empty if they have none
  std::vector<int64_t> shape{}; // sizes of the axes, in the order of their names in `legend`
  std::string from = {};        // origin, such as "layer 3" or "input image"; empty for constants
  size_t producer = 0;          // number of the layer that computes the tensor; 0 if no layer does
};

// An attribute of a layer, a parameter that is not a tensor: its name, the names of its axes, and its value;
// for example "Stride", "[h, w]" and [1, 1].
struct CardAttribute {
  std::string name, legend;
  std::variant<std::vector<int64_t>, std::string, double> value;
};

struct Card {
  size_t id = 0; // number of the layer, counted from 1 in execution order
  mlir::Operation *layer = nullptr;
  std::string kind; // kind of layer, such as "Conv", "MaxPool", "Add" or "TopK"
  std::vector<TensorCard> inputs{}, outputs{};
  std::vector<CardAttribute> attributes{};
  std::string activation{}; // as "relu", "clip(0, 6)" or "none"; empty for kinds that have no activation
  std::vector<std::string> nodes{};
  uint64_t macs = 0, parameters = 0;
  LayerCost cost{};
};

std::vector<Card> cardsOf(mlir::func::FuncOp function, const Machine &machine);

} // namespace tilerig::compiler
