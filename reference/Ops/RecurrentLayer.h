// What RNN, GRU and LSTM have in common: sequences, directions, weights by gates, and where a result lies.
#pragma once

#include "reference/Ops/CellActivation.h"

namespace tilerig::reference {

// A checked node. Its tensors have the shapes of the specification, for `gates` gates:
//   X [steps, batch, inputs], W [directions, gates * hidden, inputs], R [directions, gates * hidden, hidden],
//   B [directions, 2 * gates * hidden], Y [steps, directions, batch, hidden],
//   states [directions, batch, hidden]
// and with layout 1 the batch comes first in X, Y and the states.
struct RecurrentLayer {
  int64_t gates = 1, steps = 0, batch = 0, inputs = 0, hidden = 0, directions = 1;
  bool batchFirst = false, reversed = false; // reversed: the only direction is backwards
  std::optional<float> clip;
  std::vector<int64_t> lengths; // of each sequence of the batch

  // Row of X, as a matrix of `inputs` columns.
  int64_t rowOf(int64_t step, int64_t sequence) const {
    return batchFirst ? sequence * steps + step : step * batch + sequence;
  }
  // Row of a state, and of Y, as matrices of `hidden` columns.
  int64_t stateRow(int64_t direction, int64_t sequence) const {
    return batchFirst ? sequence * directions + direction : direction * batch + sequence;
  }
  int64_t outputRow(int64_t step, int64_t direction, int64_t sequence) const {
    return batchFirst ? (sequence * steps + step) * directions + direction
                      : (step * directions + direction) * batch + sequence;
  }
  bool isReversed(int64_t direction) const { return reversed || direction == 1; }

  Shape outputShape() const {
    return batchFirst ? Shape{batch, steps, directions, hidden} : Shape{steps, directions, batch, hidden};
  }
  Shape stateShape() const {
    return batchFirst ? Shape{batch, directions, hidden} : Shape{directions, batch, hidden};
  }
};

// Inputs are X, W, R, B, sequence_lens, initial_h and what else a cell has.
inline constexpr size_t inputBias = 3, inputLengths = 4, inputHidden = 5, inputCell = 6, inputPeephole = 7;

Result<RecurrentLayer> recurrentLayer(const OpContext &context, int64_t gates);
// Input `index` is not there, or has the type of X and this shape.
Status checkOptional(const OpContext &context, size_t index, std::string_view name, const Shape &wanted);

} // namespace tilerig::reference
