// What there is to say about each layer, collected once; the listing and the metadata write it down.
#pragma once

#include "compiler/Listing/Tensors.h"
#include "compiler/Partition/Layers.h"

#include <variant>

namespace tilerig {

// An operand or result, and how its axes are shown.
struct TensorCard {
  std::string role; // "Input", "Weight", "Bias", "Gain", "Shift", "Constant", "Addend"
  mlir::Value value;
  std::string legend = {};      // "[batch, inC, H, W]"; empty where axes have no names
  std::vector<int64_t> shape{}; // in the order of the legend
  std::string from = {};        // "layer 3", "input image"; empty for constants
  size_t producer = 0;          // the number of that layer, else 0
};

// What else decides: "Stride", "[h, w]", [1, 1].
struct CardFact {
  std::string name, legend;
  std::variant<std::vector<int64_t>, std::string, double> value;
};

struct Card {
  size_t id = 0; // from 1, in the order in which layers run
  mlir::Operation *layer = nullptr;
  std::string kind; // "Conv", "MaxPool", "Add", "TopK"
  std::vector<TensorCard> inputs{}, outputs{};
  std::vector<CardFact> facts{};
  std::string activation{}; // "relu", "clip(0, 6)", "none"; empty where no function can be
  std::vector<std::string> nodes{};
  uint64_t macs = 0, parameters = 0;
  LayerCost cost{};
};

std::vector<Card> cardsOf(mlir::func::FuncOp function, const Machine &machine);

} // namespace tilerig
