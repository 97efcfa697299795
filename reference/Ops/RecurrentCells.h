// One time step of a recurrent cell, for all sequences of a batch: the equations of the ONNX specification.
//
// The caller passes the input's contribution to every gate; the cell adds the state's contribution and
// computes the next state. Gates have a row of gates * hidden elements for each sequence. A state is a matrix
// of batch × hidden with the hidden state, followed, for LSTM, by a matrix of the same shape with the cell
// state.
#pragma once

#include "reference/Gemm/Gemm.h"
#include "reference/Ops/RecurrentLayer.h"

#include <algorithm>

namespace tilerig::reference {

// Weights and parameters of a cell for one direction.
template <class T>
struct CellWeights {
  int64_t batch, hidden;
  const T *recurrence;         // recurrence weights: gates * hidden rows, `hidden` columns
  const T *bias = nullptr;     // gates * hidden biases of the input, then as many of the state; or null
  const T *peephole = nullptr; // LSTM: `hidden` weights for each of the gates input, output, forget; or null
  std::span<const CellActivation> activations;
  std::optional<float> clip;
  Threads &threads;

  // Clips the `hidden` sums x of a gate and applies activation `index` to them.
  void activate(size_t index, T *x) const {
    if (clip)
      for (int64_t i = 0; i < hidden; ++i)
        x[i] = std::clamp(x[i], -T(*clip), T(*clip));
    applyTo(index, x);
  }
  void applyTo(size_t index, T *x) const {
    activations[index].apply(std::span<T>(x, static_cast<size_t>(hidden)));
  }

  // Multiplies the state by rows first ... first + count - 1 of the recurrence weights, transposed. The
  // product (batch × count) is added to the matrix `gates`, whose rows are `stride` elements apart, or
  // overwrites it if not `accumulate`.
  void addRecurrence(const T *state, T *gates, int64_t stride, int64_t first, int64_t count,
                     bool accumulate = true) const {
    multiply<T>({state, hidden}, {recurrence + first * hidden, hidden, true}, {gates, stride}, batch, count,
                hidden, {accumulate}, Chain::fused, threads);
  }

  // Calls f(sequence) for each sequence, in parallel.
  template <class F>
  void forEachSequence(F f) const {
    constexpr int64_t grain = 1 << 10; // number of state elements per piece of the parallel loop
    threads.forEach(batch, std::max<int64_t>(1, grain / hidden), [&](int64_t begin, int64_t end) {
      for (int64_t sequence = begin; sequence < end; ++sequence)
        f(sequence);
    });
  }

  // The sum of the input's and the recurrence's biases, with which the gates start.
  std::vector<T> sumOfBiases(int64_t gates) const {
    std::vector<T> sum(static_cast<size_t>(gates * hidden));
    for (size_t i = 0; bias && i < sum.size(); ++i)
      sum[i] = bias[i] + bias[sum.size() + i];
    return sum;
  }
};

// The simple RNN: h' = f(x W + h R + Wb + Rb), where x is the input, h the hidden state, f the activation
// function, W and R the weights, and Wb and Rb the biases of input and state.
template <class T>
struct RnnCell {
  static constexpr int64_t gates = 1, states = 1;
  static constexpr std::string_view activations[] = {"Tanh"};

  CellWeights<T> weights;

  std::vector<T> initialGates() const { return weights.sumOfBiases(gates); }

  void step(T *fromInput, const T *state, T *next) {
    int64_t hidden = weights.hidden;
    weights.addRecurrence(state, fromInput, hidden, 0, hidden);
    weights.forEachSequence([&](int64_t sequence) {
      T *gate = fromInput + sequence * hidden;
      weights.activate(0, gate);
      std::copy_n(gate, hidden, next + sequence * hidden);
    });
  }
};

// The GRU, with input x, hidden state h, activation functions f and g, weights W and R, and biases Wb and Rb:
// z = f(x Wz + h Rz + Wbz + Rbz), r = f(x Wr + h Rr + Wbr + Rbr),
// n = g(x Wn + (r h) Rn + Wbn + Rbn), or g(x Wn + r (h Rn + Rbn) + Wbn) with linear_before_reset,
// h' = (1 - z) n + z h
template <class T>
struct GruCell {
  static constexpr int64_t gates = 3, states = 1;
  static constexpr std::string_view activations[] = {"Sigmoid", "Tanh"};

  CellWeights<T> weights;
  bool linearBeforeReset;
  std::vector<T> candidate = std::vector<T>(static_cast<size_t>(weights.batch * weights.hidden));

  // The biases with which the gates start. With linear_before_reset, the bias Rbn is multiplied by r, so it
  // is not added here.
  std::vector<T> initialGates() const {
    std::vector<T> sum = weights.sumOfBiases(gates);
    if (linearBeforeReset && weights.bias)
      std::copy_n(weights.bias + 2 * weights.hidden, weights.hidden, sum.begin() + 2 * weights.hidden);
    return sum;
  }

  void step(T *fromInput, const T *state, T *next) {
    int64_t hidden = weights.hidden, stride = gates * hidden;
    weights.addRecurrence(state, fromInput, stride, 0, 2 * hidden);
    weights.forEachSequence([&](int64_t sequence) {
      T *row = fromInput + sequence * stride;
      weights.activate(0, row);
      weights.activate(0, row + hidden);
    });
    addCandidate(fromInput, state);
    weights.forEachSequence([&](int64_t sequence) {
      const T *z = fromInput + sequence * stride, *before = state + sequence * hidden;
      T *n = fromInput + sequence * stride + 2 * hidden;
      weights.activate(1, n);
      for (int64_t i = 0; i < hidden; ++i)
        next[sequence * hidden + i] = (T(1) - z[i]) * n[i] + z[i] * before[i];
    });
  }

private:
  // Adds the state's contribution to the candidate n; the reset gate r multiplies the state or, with
  // linear_before_reset, the product of the state and the weights.
  void addCandidate(T *fromInput, const T *state) {
    int64_t hidden = weights.hidden, stride = gates * hidden;
    const T *reset = fromInput + hidden;
    T *n = fromInput + 2 * hidden;
    if (!linearBeforeReset) {
      for (int64_t sequence = 0; sequence < weights.batch; ++sequence)
        for (int64_t i = 0; i < hidden; ++i)
          candidate[sequence * hidden + i] = reset[sequence * stride + i] * state[sequence * hidden + i];
      return weights.addRecurrence(candidate.data(), n, stride, 2 * hidden, hidden);
    }
    weights.addRecurrence(state, candidate.data(), hidden, 2 * hidden, hidden, false);
    const T *bias = weights.bias ? weights.bias + (gates + 2) * hidden : nullptr;
    for (int64_t sequence = 0; sequence < weights.batch; ++sequence)
      for (int64_t i = 0; i < hidden; ++i)
        n[sequence * stride + i] +=
            reset[sequence * stride + i] * (candidate[sequence * hidden + i] + (bias ? bias[i] : T(0)));
  }
};

// The LSTM, with input x, hidden state h, cell state c, activation functions F, G and H, weights W and R,
// peephole weights P, and biases Wb and Rb:
// i = F(x Wi + h Ri + Pi c + Wbi + Rbi),
// f = F(x Wf + h Rf + Pf c + Wbf + Rbf), or 1 - i with input_forget,
// n = G(x Wc + h Rc + Wbc + Rbc), c' = f c + i n,
// o = F(x Wo + h Ro + Po c' + Wbo + Rbo), h' = o H(c')
//
// The cell state c' is not clipped in the formula of h': the specification can be read either way, and ONNX
// Runtime does not clip it.
template <class T>
struct LstmCell {
  static constexpr int64_t gates = 4, states = 2;
  static constexpr std::string_view activations[] = {"Sigmoid", "Tanh", "Tanh"};

  CellWeights<T> weights;
  bool inputForget;

  std::vector<T> initialGates() const { return weights.sumOfBiases(gates); }

  void step(T *fromInput, const T *state, T *next) {
    int64_t hidden = weights.hidden, all = weights.batch * hidden;
    weights.addRecurrence(state, fromInput, gates * hidden, 0, gates * hidden);
    weights.forEachSequence([&](int64_t sequence) {
      int64_t at = sequence * hidden;
      stepOne(fromInput + gates * at, state + all + at, next + at, next + all + at);
    });
  }

private:
  void addPeephole(int64_t which, const T *cell, T *gate) const {
    for (int64_t i = 0; weights.peephole && i < weights.hidden; ++i)
      gate[i] += weights.peephole[which * weights.hidden + i] * cell[i];
  }

  // Computes one time step of the LSTM for one sequence, after the product of the hidden state and the
  // weights R has been added to the gates.
  void stepOne(T *row, const T *cell, T *nextHidden, T *nextCell) const {
    int64_t hidden = weights.hidden;
    T *input = row, *output = row + hidden, *forget = row + 2 * hidden, *candidate = row + 3 * hidden;
    addPeephole(0, cell, input);
    weights.activate(0, input);
    if (inputForget) {
      for (int64_t i = 0; i < hidden; ++i)
        forget[i] = T(1) - input[i];
    } else {
      addPeephole(2, cell, forget);
      weights.activate(0, forget);
    }
    weights.activate(1, candidate);
    for (int64_t i = 0; i < hidden; ++i)
      nextCell[i] = forget[i] * cell[i] + input[i] * candidate[i];
    addPeephole(1, nextCell, output);
    weights.activate(0, output);
    std::copy_n(nextCell, hidden, nextHidden);
    weights.applyTo(2, nextHidden);
    for (int64_t i = 0; i < hidden; ++i)
      nextHidden[i] *= output[i];
  }
};

} // namespace tilerig::reference
