// The steps of recurrent layers as matrix products and elementwise operations.
//
// In a step, one product multiplies the hidden state by the weights of all gates, and of both directions if the
// layer is bidirectional. The gates are an axis of the product in front of the rows, so every part of the hidden
// units has all of its gates: tiles that divide the units among themselves exchange only the new hidden state,
// once in a step.
//
// Axes: directions, gates, batch, hidden units. In states, the axis of gates has size 1.
#pragma once

#include "compiler/Graph/Transforms/CellFunctions.h"

#include <memory>

namespace tilerig::compiler {

// A recurrent operation of level `graph`.
struct Recurrence {
  mlir::Value input, weights, recurrence, bias, lengths, initialState;
  mlir::Value initialCell = {}, peepholes = {}; // of an LSTM; null if it has none
  graph::Direction direction = graph::Direction::forward;
  int64_t hidden = 0;
  // The functions of the first direction, then, if the layer is bidirectional, those of the other one.
  std::vector<CellFunction> functions;
  double clip = 0; // 0: sums are not clipped
  bool linearBeforeReset = false, inputForget = false;
  // Whether the input of each step is multiplied by itself, because the inputs are computed one after another.
  bool isStepwise = false;

  int64_t directions() const { return direction == graph::Direction::bidirectional ? 2 : 1; }
  int64_t steps() const { return graph::shapeOf(input)[0]; }
  int64_t batch() const { return graph::shapeOf(input)[1]; }
  int64_t features() const { return graph::shapeOf(input)[2]; }
  // Whether states are columns: for a single sequence, so that the recurrent product has the hidden units of all
  // gates as its rows, and fills the rows of the matrix engine.
  bool hasColumns() const { return batch() == 1; }
};

// What a step hands to the next one. Null values stand for zeros.
struct CellState {
  mlir::Value hidden, cell;
};

class Cell {
public:
  virtual ~Cell() = default;

  // The products of the weights and inputs, with the biases: axes directions, gates, rows, hidden units. `inputs` are
  // the rows of all steps, with the axes 1, 1, rows, features. If the layer is stepwise, they are those of one step,
  // and have the last two axes in the order that states have, as the result.
  virtual mlir::Value inputProducts(mlir::Value inputs) = 0;
  // The state after a step. `products` are those of the inputs that belong to the step, in the order of axes that
  // states have.
  virtual CellState step(const CellState &before, mlir::Value products) = 0;
};

// The cell of an operation LSTM, GRU or RNN. `layer` and `to` must outlive it.
std::unique_ptr<Cell> lstmCell(const Recurrence &layer, ElementBuilder &to);
std::unique_ptr<Cell> gruCell(const Recurrence &layer, ElementBuilder &to);
std::unique_ptr<Cell> rnnCell(const Recurrence &layer, ElementBuilder &to);

} // namespace tilerig::compiler
