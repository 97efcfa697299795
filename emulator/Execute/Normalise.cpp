// Softmax and normalisation instructions: each row is reduced to statistics and then rewritten.
#include "isa/Numerics/Normalise.h"
#include "emulator/Execute/Families.h"
#include "emulator/Execute/Rows.h"
#include "isa/Numerics/Softmax.h"

namespace tilerig::emulator {

namespace {

class PreparedSoftmax final : public PreparedOp {
public:
  PreparedSoftmax(const Softmax &instruction, View input, View output)
      : PreparedOp(output.numRows()), instruction(instruction), input(input), output(output) {}

  std::optional<DataFault> run(uint64_t begin, uint64_t end, Scratch &scratch) const override {
    std::span x(scratch.of<float>(rowA, output.rowLength()), output.rowLength());
    RowWalk walk(output, begin);
    for (uint64_t row = begin; row < end; ++row, walk.next()) {
      readReals(input, input.row(walk.index()), instruction.inputAffine, x, scratch);
      instruction.logarithm ? logSoftmax(x, x) : softmax(x, x);
      writeReals(x, instruction.finish, output, output.row(walk.index()), scratch);
    }
    return {};
  }

private:
  Softmax instruction;
  View input, output;
};

// Normalises groups of elements: a group extends over the innermost `innerDims` dimensions and so consists of
// one or more rows of the streams. The prepared operation counts each group as one row.
class PreparedNormalize final : public PreparedOp {
public:
  PreparedNormalize(const Normalize &instruction, View input, View gain, View shift, View output)
      : PreparedOp(numGroups(instruction, output)), instruction(instruction), input(input), gain(gain),
        shift(shift), output(output), rowsPerGroup(output.numRows() / rows()) {}

  std::optional<DataFault> run(uint64_t begin, uint64_t end, Scratch &scratch) const override {
    for (uint64_t group = begin; group < end; ++group) {
      const auto x = readGroup(input, instruction.inputAffine, group, ownA, scratch);
      const auto g = gain.present() ? readGroup(gain, {}, group, ownB, scratch) : std::span<float>();
      const auto s = shift.present() ? readGroup(shift, {}, group, ownC, scratch) : std::span<float>();
      normalise(x, static_cast<Normalisation>(instruction.mode), instruction.epsilon, g, s, x);
      RowWalk walk(output, group * rowsPerGroup);
      for (uint64_t row = 0; row < rowsPerGroup; ++row, walk.next())
        writeReals(x.subspan(row * output.rowLength(), output.rowLength()), instruction.finish, output,
                   output.row(walk.index()), scratch);
    }
    return {};
  }

private:
  static uint64_t numGroups(const Normalize &normalize, const View &output) {
    uint64_t groups = 1;
    for (unsigned d = 0; d + normalize.innerDims < 5; ++d)
      groups *= output.size(d);
    return groups;
  }

  std::span<float> readGroup(const View &view, const Affine &affine, uint64_t group, Slot slot,
                             Scratch &scratch) const {
    const size_t length = rowsPerGroup * output.rowLength();
    std::span into(scratch.of<float>(slot, length), length);
    RowWalk walk(output, group * rowsPerGroup);
    for (uint64_t row = 0; row < rowsPerGroup; ++row, walk.next())
      readReals(view, view.row(walk.index()), affine,
                into.subspan(row * output.rowLength(), output.rowLength()), scratch);
    return into;
  }

  Normalize instruction;
  View input, gain, shift, output;
  uint64_t rowsPerGroup;
};

View optionalView(const Places &places, std::string_view operand, const Stream &stream, unsigned tile) {
  return stream.present() ? places.view(operand, stream, tile) : View();
}

} // namespace

static std::unique_ptr<PreparedOp> prepare(const Softmax &softmax, unsigned tile, const Places &places) {
  return std::make_unique<PreparedSoftmax>(softmax, places.view("input", softmax.input, tile),
                                           places.view("output", softmax.output, tile));
}

static std::unique_ptr<PreparedOp> prepare(const Normalize &normalize, unsigned tile, const Places &places) {
  return std::make_unique<PreparedNormalize>(normalize, places.view("input", normalize.input, tile),
                                             optionalView(places, "gain", normalize.gain, tile),
                                             optionalView(places, "shift", normalize.shift, tile),
                                             places.view("output", normalize.output, tile));
}

std::unique_ptr<PreparedOp> prepareAny(ReferenceTo<Family::normalisation> instruction, unsigned tile,
                                       const Places &places) {
  return std::visit([&](const auto *typed) { return prepare(*typed, tile, places); }, instruction);
}

} // namespace tilerig::emulator
