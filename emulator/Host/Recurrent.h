// What LSTM, GRU and RNN share: their operands, directions and layouts, and the walk through the steps. They
// compute in fp32 with their default activations.
#pragma once

#include "emulator/Host/Kernels.h"

namespace tilerig {

struct Recurrence {
  int64_t steps = 0, batches = 0, inputs = 0, hidden = 0, directions = 0;
  int64_t gates = 0;       // LSTM has 4, GRU 3, RNN 1
  bool batchFirst = false; // layout 1
  bool reverse = false;    // of the first direction
  std::span<const float> x, weights, recurrence, bias, initialH;
  std::span<const int32_t> lengths;

  // Refuses what does not fit, and attributes that change the formulas.
  static Result<Recurrence> of(const HostCall &call, int64_t gates);

  Shape shapeOfAll() const;    // the first output: every step
  Shape shapeOfStates() const; // the last step
  // Calls cell(direction, state, x) for every step in turn: where in the tensors of states the own one
  // begins, and the input; then copies what the step left in `h` to the first output.
  template <class Cell>
  void walk(std::span<float> h, std::span<float> all, Cell cell) const;

  // What the steps of all sequences take.
  uint64_t operations() const;

  // Bias of a gate's row: of the input, of the hidden state.
  float inputBias(int64_t direction, int64_t row) const;
  float hiddenBias(int64_t direction, int64_t row) const;
  // The row's products in ascending order, by fused multiply-add: from 0 on, or on top of acc.
  float withInput(int64_t direction, int64_t row, const float *x) const;
  float withHidden(int64_t direction, int64_t row, const float *h, float acc) const;

private:
  int64_t lengthOf(int64_t batch) const { return lengths.empty() ? steps : lengths[batch]; }
  int64_t stateAt(int64_t direction, int64_t batch) const {
    return (batchFirst ? batch * directions + direction : direction * batches + batch) * hidden;
  }
  int64_t outputAt(int64_t step, int64_t direction, int64_t batch) const {
    return (batchFirst ? (batch * steps + step) * directions + direction
                       : (step * directions + direction) * batches + batch) *
           hidden;
  }
};

// An optional input of so many floats; empty where it is absent.
Result<std::span<const float>> floatsOf(const HostCall &call, size_t index, int64_t wanted);

float sigmoidOf(float x);
float tanhOf(float x);

template <class Cell>
void Recurrence::walk(std::span<float> h, std::span<float> all, Cell cell) const {
  for (int64_t d = 0; d < directions; ++d)
    for (int64_t batch = 0; batch < batches; ++batch)
      for (int64_t i = 0; i < lengthOf(batch); ++i) {
        const int64_t step = d == 1 || reverse ? lengthOf(batch) - 1 - i : i, state = stateAt(d, batch);
        cell(d, state, &x[(batchFirst ? batch * steps + step : step * batches + batch) * inputs]);
        for (int64_t n = 0; n < hidden; ++n)
          all[outputAt(step, d, batch) + n] = h[state + n];
      }
}

} // namespace tilerig
