// The epilogue of instructions of the POD (matrix engine): turns accumulators into stored results. It
// processes all outputs of a block of positions at a time, so that every operation of the epilogue is one
// call of isa/Numerics for the whole block.
#pragma once

#include "emulator/Execute/Pod/Layout.h"
#include "emulator/Execute/Prepare.h"
#include "isa/Instructions/CheckTypes.h"

namespace tilerig::emulator::pod {

class EpilogueRunner {
public:
  EpilogueRunner() = default;
  // `output` is the output of the instruction to which the epilogue belongs; `places` finds the host
  // addresses of the epilogue's operands.
  EpilogueRunner(const Epilogue &epilogue, rules::Arithmetic arithmetic, View output, unsigned tile,
                 const Places &places);

  // Adds the outputs of `next` after this epilogue's own: the accumulators of a row then belong to all these outputs. The
  // other instruction must have the same rows, the same table, and an epilogue that is alike().
  void join(const EpilogueRunner &next);
  uint32_t outputs() const { return parts.back().first + parts.back().output.rowLength(); }

  // Sets the starting values (bias, earlier partial sums or zero) of the accumulators for the given rows of
  // the output. Columns that pad a panel of 16 outputs start from zero.
  void start(std::span<const uint32_t> rows, Accumulators<int32_t> acc) const;
  void start(std::span<const uint32_t> rows, Accumulators<float> acc) const;
  // Turns the accumulators into results and stores these in the given rows of the output; overwrites the
  // accumulators.
  void finish(std::span<const uint32_t> rows, Accumulators<int32_t> acc, Scratch &scratch) const;
  void finish(std::span<const uint32_t> rows, Accumulators<float> acc, Scratch &scratch) const;

private:
  using Rows = std::span<const uint32_t>;
  // For each output row, the distance in bytes from the first element of an operand to the operand's part for
  // this row.
  using Offsets = std::vector<uint32_t>;

  // The outputs of one instruction.
  struct Part {
    uint32_t first = 0; // index of its first output among those of all parts
    View output, accumulateFrom, addend;
    Offsets outputAt, accumulateFromAt, addendAt;
    const std::byte *bias = nullptr, *scale = nullptr;
  };

  template <class T>
  void startFrom(Rows rows, Accumulators<T> acc) const;
  void finishQuantised(Rows rows, Accumulators<int32_t> acc, Scratch &scratch) const;
  void addQuantised(Rows rows, Accumulators<int32_t> acc, Scratch &scratch) const;
  void finishReals(Rows rows, Accumulators<float> y, Scratch &scratch) const;
  void store(Rows rows, Accumulators<float> y, const Finish &finish, Scratch &scratch) const;
  void scatter(Rows rows, const void *results, size_t stride) const;
  void addAddend(Rows rows, Accumulators<float> y, Scratch &scratch) const;
  std::span<const float> scalesFor(size_t stride, Scratch &scratch) const;

  ElementType outputType() const { return parts[0].output.type; }

  Epilogue epilogue; // that of the first part
  rules::Arithmetic arithmetic = rules::Arithmetic::podInteger;
  std::vector<Part> parts;
  const std::byte *table = nullptr;
};

// Whether two epilogues differ only in the addresses, shapes and strides of their operands.
bool alike(const Epilogue &first, const Epilogue &second);

} // namespace tilerig::emulator::pod
