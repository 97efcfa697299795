// Common part of RNN, GRU and LSTM: sequences, directions, weights by gates, and positions in the results.
#pragma once

#include "reference/Ops/CellActivation.h"

namespace tilerig::reference {

// A checked recurrent node. Its tensors have the shapes of the specification, for `gates` gates:
//   X [steps, batch, inputs], W [directions, gates * hidden, inputs], R [directions, gates * hidden, hidden],
//   B [directions, 2 * gates * hidden], Y [steps, directions, batch, hidden],
//   states [directions, batch, hidden]
// With layout = 1, the batch is the first dimension of X, Y and the states.
struct RecurrentLayer {
  int64_t gates = 1, steps = 0, batch = 0, inputs = 0, hidden = 0, directions = 1;
  // reversed: the layer has only one direction, which reads each sequence from its end
  bool batchFirst = false, reversed = false;
  std::optional<float> clip;
  std::vector<int64_t> lengths; // length of each sequence of the batch

  // The row of X that belongs to a time step of a sequence, if X is seen as a matrix of `inputs` columns.
  int64_t rowOf(int64_t step, int64_t sequence) const {
    return batchFirst ? sequence * steps + step : step * batch + sequence;
  }
  // The row of a state, or of output Y, for a direction and a sequence (and a time step), if states and Y are
  // seen as matrices of `hidden` columns.
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

// Indices of the optional inputs, which follow X, W and R.
inline constexpr size_t inputBias = 3, inputLengths = 4, inputHidden = 5, inputCell = 6, inputPeephole = 7;

Result<RecurrentLayer> recurrentLayer(const OpContext &context, int64_t gates);
// Checks that input `index` is absent, or has the type of X and the shape `wanted`.
Status checkOptional(const OpContext &context, size_t index, std::string_view name, const Shape &wanted);

} // namespace tilerig::reference
