// Resize instructions: compute an image of another size by nearest, linear or cubic interpolation.
#include "isa/Numerics/Resize.h"
#include "emulator/Execute/Families.h"
#include "emulator/Execute/Rows.h"
#include "isa/Instructions/CheckRules.h"

#include <cmath>

namespace tilerig::emulator {

namespace {

using rules::Arithmetic;

// The input elements along one axis from which an output element is interpolated: their indices and weights.
struct AxisTaps {
  unsigned count = 0;
  std::array<uint32_t, 4> indices{};
  std::array<float, 4> weights{};
};

AxisTaps axisTaps(const Resize &resize, const ResizeAxis &axis, uint32_t output, uint32_t size) {
  const ResizePosition position = resizePosition(output, axis.numerator, axis.offset, axis.denominator);
  AxisTaps taps;
  const auto add = [&](int64_t index, float weight) {
    if (weight == 0)
      return;
    taps.indices[taps.count] = static_cast<uint32_t>(clampedIndex(index, size));
    taps.weights[taps.count++] = weight;
  };
  if (resize.mode == ResizeMode::nearest) {
    add(position.index, 1);
  } else if (resize.mode == ResizeMode::linear) {
    const auto weights = linearWeights(position.fraction);
    for (int k = 0; k < 2; ++k)
      add(position.index + k, weights[k]);
  } else {
    const auto weights = cubicWeights(position.fraction, resize.cubicCoefficient);
    for (int k = 0; k < 4; ++k)
      add(position.index + k - 1, weights[k]);
  }
  return taps;
}

class PreparedResize final : public PreparedOp {
public:
  PreparedResize(const Resize &instruction, View input, View output)
      : PreparedOp(output.numRows()), instruction(instruction), input(input), output(output),
        keeps(rules::arithmeticOf(instruction) == Arithmetic::keep) {
    for (uint32_t h = 0; h < output.size(2); ++h)
      rowTaps.push_back(axisTaps(instruction, instruction.rows, h, input.size(2)));
    for (uint32_t w = 0; w < output.size(3); ++w)
      columnTaps.push_back(axisTaps(instruction, instruction.columns, w, input.size(3)));
  }

  std::optional<DataFault> run(uint64_t begin, uint64_t end, Scratch &scratch) const override {
    RowWalk walk(output, begin);
    for (uint64_t row = begin; row < end; ++row, walk.next()) {
      const Index4 at = walk.index();
      const AxisTaps &rows = rowTaps[at[2]], &columns = columnTaps[at[3]];
      if (keeps) {
        moveRow(input.row({at[0], at[1], rows.indices[0], columns.indices[0]}), input.stride(4),
                output.row(at), output.stride(4), sizeBytes(output.type), output.rowLength());
        continue;
      }
      const uint32_t channels = output.rowLength();
      std::span along(scratch.of<float>(ownA, channels), channels),
          acc(scratch.of<float>(rowResult, channels), channels);
      for (unsigned k = 0; k < rows.count; ++k) {
        combineColumns(at, rows.indices[k], columns, along, scratch);
        if (instruction.mode == ResizeMode::nearest)
          std::copy(along.begin(), along.end(), acc.begin());
        else
          accumulate(along, rows.weights[k], k == 0, acc);
      }
      writeReals(acc, instruction.finish, output, output.row(at), scratch);
    }
    return {};
  }

private:
  void combineColumns(Index4 at, uint32_t row, const AxisTaps &columns, std::span<float> acc,
                      Scratch &scratch) const {
    std::span tap(scratch.of<float>(rowA, acc.size()), acc.size());
    for (unsigned k = 0; k < columns.count; ++k) {
      readReals(input, input.row({at[0], at[1], row, columns.indices[k]}), instruction.inputAffine, tap,
                scratch);
      if (instruction.mode == ResizeMode::nearest)
        std::copy(tap.begin(), tap.end(), acc.begin());
      else
        accumulate(tap, columns.weights[k], k == 0, acc);
    }
  }

  static void accumulate(std::span<const float> tap, float weight, bool isFirst, std::span<float> acc) {
    for (size_t i = 0; i < acc.size(); ++i)
      acc[i] = isFirst ? weight * tap[i] : std::fma(weight, tap[i], acc[i]);
  }

  Resize instruction;
  View input, output;
  bool keeps;
  std::vector<AxisTaps> rowTaps, columnTaps;
};

} // namespace

static std::unique_ptr<PreparedOp> prepare(const Resize &resize, unsigned tile, const Places &places) {
  return std::make_unique<PreparedResize>(resize, places.view("input", resize.input, tile),
                                          places.view("output", resize.output, tile));
}

std::unique_ptr<PreparedOp> prepareAny(ReferenceTo<Family::resampling> instruction, unsigned tile,
                                       const Places &places) {
  return std::visit([&](const auto *typed) { return prepare(*typed, tile, places); }, instruction);
}

} // namespace tilerig::emulator
