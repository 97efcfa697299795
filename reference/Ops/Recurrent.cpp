// The operators RNN, GRU and LSTM.
//
// The input's contribution to the gates does not depend on the state, so it is one matrix product for all
// time steps. Then each time step is computed for all sequences of the batch at once. A sequence that has
// ended keeps its state, and its outputs from then on are zero.
#include "reference/Ops/Families.h"
#include "reference/Ops/RecurrentCells.h"
#include "reference/Run/Scratch.h"

namespace tilerig::reference {

namespace {

template <class T>
class Runner {
public:
  Runner(OpContext &context, const RecurrentLayer &layer, const std::vector<CellActivation> &activations)
      : context(context), layer(layer), activations(activations) {}

  // Runs the recurrent layer with cells of type Cell in every direction, each with its own weights; `extra`
  // are parameters that only this type of cell has.
  template <class Cell, class... Extra>
  Status run(Extra... extra) {
    TILERIG_CHECK_OK(allocate(Cell::states));
    size_t perDirection = std::size(Cell::activations);
    for (int64_t direction = 0; direction < layer.directions; ++direction) {
      CellWeights<T> weights{layer.batch,
                             layer.hidden,
                             part(2, direction, layer.gates * layer.hidden * layer.hidden),
                             part(inputBias, direction, 2 * layer.gates * layer.hidden),
                             part(inputPeephole, direction, 3 * layer.hidden),
                             std::span(activations).subspan(direction * perDirection, perDirection),
                             layer.clip,
                             context.threads};
      Cell cell{weights, extra...};
      TILERIG_CHECK_OK(runDirection(cell, direction));
    }
    giveOutputs();
    return success();
  }

private:
  // The part of input `index` of a recurrent node for one direction; null if the input is absent.
  const T *part(size_t index, int64_t direction, int64_t size) const {
    return context.has(index) ? context.input(index).as<T>().data() + direction * size : nullptr;
  }

  // Allocates output Y and `count` state tensors, initialised from the inputs; at the end of the run the
  // state tensors hold the final states.
  Status allocate(int64_t count) {
    if (context.wants(0)) {
      TILERIG_TRY(y, Tensor::make(dtypeOf<T>, layer.outputShape()));
    }
    for (size_t index = inputHidden; index < inputHidden + static_cast<size_t>(count); ++index) {
      if (context.has(index)) {
        states.push_back(context.input(index));
      } else {
        TILERIG_TRY(Tensor zeros, Tensor::make(dtypeOf<T>, layer.stateShape()));
        states.push_back(std::move(zeros));
      }
    }
    return success();
  }

  template <class Cell>
  Status runDirection(Cell &cell, int64_t direction) {
    int64_t width = layer.gates * layer.hidden, rows = layer.steps * layer.batch;
    TILERIG_TRY(Tensor fromInput, Tensor::makeUninitialised(dtypeOf<T>, {rows, width}));
    multiply<T>({context.input(0).as<T>().data(), layer.inputs},
                {part(1, direction, width * layer.inputs), layer.inputs, true},
                {fromInput.mutableAs<T>().data(), width}, rows, width, layer.inputs, {}, Chain::fused,
                context.threads);
    std::vector<T> initial = cell.initialGates();
    int64_t matrix = layer.batch * layer.hidden, numStates = static_cast<int64_t>(states.size());
    Scratch<T> gates(layer.batch * width), state(numStates * matrix), next(state.size());
    for (const Scratch<T> *each : {&gates, &next})
      std::fill(each->begin(), each->end(), T(0));
    for (size_t i = 0; i < states.size(); ++i)
      for (int64_t sequence = 0; sequence < layer.batch; ++sequence)
        std::copy_n(states[i].as<T>().data() + layer.stateRow(direction, sequence) * layer.hidden,
                    layer.hidden, state.data() + static_cast<int64_t>(i) * matrix + sequence * layer.hidden);
    int64_t longest =
        layer.lengths.empty() ? 0 : *std::max_element(layer.lengths.begin(), layer.lengths.end());
    for (int64_t step = 0; step < longest; ++step) {
      for (int64_t sequence = 0; sequence < layer.batch; ++sequence)
        if (isRunning(step, sequence)) {
          const T *row =
              fromInput.as<T>().data() + layer.rowOf(timeOf(step, direction, sequence), sequence) * width;
          std::transform(row, row + width, initial.begin(), gates.begin() + sequence * width, std::plus());
        }
      cell.step(gates.data(), state.data(), next.data());
      for (int64_t sequence = 0; sequence < layer.batch; ++sequence)
        if (isRunning(step, sequence))
          advance(state, next, timeOf(step, direction, sequence), direction, sequence);
    }
    for (size_t i = 0; i < states.size(); ++i)
      for (int64_t sequence = 0; sequence < layer.batch; ++sequence)
        std::copy_n(state.data() + static_cast<int64_t>(i) * matrix + sequence * layer.hidden, layer.hidden,
                    states[i].mutableAs<T>().data() + layer.stateRow(direction, sequence) * layer.hidden);
    return success();
  }

  bool isRunning(int64_t step, int64_t sequence) const { return step < layer.lengths[sequence]; }
  // The index in the sequence that is read in step `step`. A reversed direction begins at the end of each
  // sequence, not at the end of the longest one.
  int64_t timeOf(int64_t step, int64_t direction, int64_t sequence) const {
    return layer.isReversed(direction) ? layer.lengths[sequence] - 1 - step : step;
  }

  void advance(const Scratch<T> &state, const Scratch<T> &next, int64_t time, int64_t direction,
               int64_t sequence) {
    int64_t at = sequence * layer.hidden, matrix = layer.batch * layer.hidden;
    for (size_t i = 0; i < states.size(); ++i)
      std::copy_n(next.data() + i * matrix + at, layer.hidden, state.data() + i * matrix + at);
    if (y)
      std::copy_n(next.data() + at, layer.hidden,
                  y->mutableAs<T>().data() + layer.outputRow(time, direction, sequence) * layer.hidden);
  }

  void giveOutputs() {
    if (y)
      context.outputs[0] = *std::move(y);
    for (size_t i = 0; i < states.size(); ++i)
      if (context.wants(i + 1))
        context.outputs[i + 1] = std::move(states[i]);
  }

  OpContext &context;
  const RecurrentLayer &layer;
  const std::vector<CellActivation> &activations;
  std::optional<Tensor> y;
  std::vector<Tensor> states; // hidden state, and for LSTM the cell state
};

template <template <class> class Cell, class... Extra>
Status runCell(OpContext &context, const RecurrentLayer &layer, Extra... extra) {
  TILERIG_TRY(auto activations, cellActivations(context, layer.directions, Cell<float>::activations));
  if (context.input(0).dtype() == DType::f32)
    return Runner<float>(context, layer, activations).template run<Cell<float>>(extra...);
  return Runner<double>(context, layer, activations).template run<Cell<double>>(extra...);
}

Status rnn(OpContext &context) {
  TILERIG_TRY(RecurrentLayer layer, recurrentLayer(context, RnnCell<float>::gates));
  return runCell<RnnCell>(context, layer);
}

Status gru(OpContext &context) {
  TILERIG_TRY(RecurrentLayer layer, recurrentLayer(context, GruCell<float>::gates));
  TILERIG_TRY(int64_t linearBeforeReset, context.intAttribute("linear_before_reset", 0));
  return runCell<GruCell>(context, layer, linearBeforeReset != 0);
}

Status lstm(OpContext &context) {
  TILERIG_TRY(RecurrentLayer layer, recurrentLayer(context, LstmCell<float>::gates));
  TILERIG_TRY(int64_t inputForget, context.intAttribute("input_forget", 0));
  TILERIG_CHECK_OK(checkOptional(context, inputCell, "initial_c", layer.stateShape()));
  TILERIG_CHECK_OK(checkOptional(context, inputPeephole, "peepholes", {layer.directions, 3 * layer.hidden}));
  return runCell<LstmCell>(context, layer, inputForget != 0);
}

} // namespace

std::span<const OpEntry> recurrentOps() {
  static constexpr OpEntry entries[] = {
      {"RNN", 1, 3, 6, rnn},
      {"GRU", 1, 3, 6, gru},
      {"LSTM", 1, 3, 8, lstm},
  };
  return entries;
}

} // namespace tilerig::reference
