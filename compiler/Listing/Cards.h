// Layer cards: everything to report about each layer, collected once for the listing and the metadata.
#pragma once

#include "compiler/Listing/Tensors.h"
#include "compiler/Partition/Layers.h"

#include <variant>

namespace tilerig::compiler {

// An operand or result of a layer, and how its axes are named.
struct TensorCard {
  std::string role; // "Input", "Weight", "Bias", "Gain", "Shift", "Constant", "Addend"
  mlir::Value value;
  std::string legend = {};      // "[batch, inC, H, W]"; empty if the axes have no names
  std::vector<int64_t> shape{}; // in the axis order of the legend
  std::string from = {};        // "layer 3", "input image"; empty for constants
  size_t producer = 0;          // number of the layer that computes it; else 0
};

// Another parameter of a layer, for example "Stride", "[h, w]", [1, 1].
struct CardFact {
  std::string name, legend;
  std::variant<std::vector<int64_t>, std::string, double> value;
};

struct Card {
  size_t id = 0; // number from 1, in execution order
  mlir::Operation *layer = nullptr;
  std::string kind; // "Conv", "MaxPool", "Add", "TopK"
  std::vector<TensorCard> inputs{}, outputs{};
  std::vector<CardFact> facts{};
  std::string activation{}; // "relu", "clip(0, 6)", "none"; empty for kinds without a function
  std::vector<std::string> nodes{};
  uint64_t macs = 0, parameters = 0;
  LayerCost cost{};
};

std::vector<Card> cardsOf(mlir::func::FuncOp function, const Machine &machine);

} // namespace tilerig::compiler
