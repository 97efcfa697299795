// Common part of LSTM, GRU and RNN on the host: operands, directions, layouts, and the loop over time steps.
// The operators compute in fp32 with their default activations.
#pragma once

#include "emulator/Host/Kernels.h"

namespace tilerig::emulator {

struct Recurrence {
  int64_t steps = 0, batches = 0, inputs = 0, hidden = 0, directions = 0;
  int64_t gates = 0;       // number of gates of the operator: 4 in LSTM, 3 in GRU, 1 in RNN
  bool batchFirst = false; // whether the ONNX attribute `layout` is 1, so that the batch axis comes first
  bool reverse = false;    // whether the first direction runs backwards in time
  std::span<const float> x, weights, recurrence, bias, initialH;
  std::span<const int32_t> lengths;

  // Reads the operands of a recurrent operator; returns an error for wrong shapes and for attributes that
  // change the formulas.
  static Result<Recurrence> of(const HostCall &call, int64_t gates);

  // Shape of the operator's first output, which holds the hidden states after all steps.
  Shape shapeOfAll() const;
  // Shape of the hidden state after the last step.
  Shape shapeOfStates() const;
  // Calls cell(direction, state, x) for every step in order: `state` is the offset of the sequence's state in
  // the state tensors, `x` the sequence's input. After each step, copies the new state from `h` to the first
  // output.
  template <class Cell>
  void walk(std::span<float> h, std::span<float> all, Cell cell) const;

  // Number of arithmetic operations that all steps of all sequences take.
  uint64_t operations() const;

  // The two biases of row `row` of the gates: inputBias() belongs to the product of the weights and the
  // input, hiddenBias() to that of the weights and the hidden state.
  float inputBias(int64_t direction, int64_t row) const;
  float hiddenBias(int64_t direction, int64_t row) const;
  // Dot products by fused multiply-adds in ascending order. withInput() multiplies row `row` of the gates'
  // weights by the input `x`, starting from 0; withHidden() multiplies it by the hidden state `h`, starting
  // from `acc`.
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

// An optional input, which must have `wanted` float elements if it is present; empty if it is absent.
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

} // namespace tilerig::emulator
