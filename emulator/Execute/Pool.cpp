// Pooling instructions: combine the elements of a window channel by channel.
#include "emulator/Execute/Families.h"
#include "emulator/Execute/Rows.h"
#include "isa/Instructions/CheckRules.h"
#include "isa/Numerics/Reduce.h"
#include "isa/Numerics/Requantise.h"

#include <algorithm>

namespace tilerig::emulator {

namespace {

using rules::Arithmetic;

// The taps of a window along one axis: those inside the input, and the number inside the padded input.
struct Taps {
  int64_t first = 0;    // input index of the window's first tap inside the input
  uint32_t inside = 0;  // number of the window's taps inside the input, `dilation` apart
  uint32_t counted = 0; // number of the window's taps inside the input or its padding
};
Taps tapsAt(uint32_t output, uint32_t kernel, uint32_t stride, uint32_t dilation, uint32_t padBegin,
            uint32_t size, uint32_t padEnd) {
  Taps taps;
  const int64_t origin = int64_t{output} * stride - padBegin;
  for (uint32_t i = 0; i < kernel; ++i) {
    const int64_t at = origin + int64_t{i} * dilation;
    if (at >= 0 && at < size && taps.inside++ == 0)
      taps.first = at;
    taps.counted += at < int64_t{size} + padEnd;
  }
  return taps;
}

class PreparedPool final : public PreparedOp {
public:
  PreparedPool(const Pool &instruction, View input, View output)
      : PreparedOp(output.numRows()), instruction(instruction), input(input), output(output),
        arithmetic(rules::arithmeticOf(instruction)) {}

  std::optional<DataFault> run(uint64_t begin, uint64_t end, Scratch &scratch) const override {
    RowWalk walk(output, begin);
    for (uint64_t row = begin; row < end; ++row, walk.next())
      arithmetic == Arithmetic::real ? realRow(walk.index(), scratch) : integerRow(walk.index(), scratch);
    return {};
  }

private:
  Taps rowsOf(Index4 at) const {
    return tapsAt(at[2], instruction.kernelH, instruction.window.strideH, instruction.window.dilationH,
                  instruction.window.padTop, input.size(2), instruction.padBottom);
  }
  Taps columnsOf(Index4 at) const {
    return tapsAt(at[3], instruction.kernelW, instruction.window.strideW, instruction.window.dilationW,
                  instruction.window.padLeft, input.size(3), instruction.padRight);
  }

  // Calls visit(input row, isFirst) for every tap of a window that lies inside the input, in row-major order.
  template <class Visit>
  void forEachTap(Index4 at, const Taps &rows, const Taps &columns, Visit visit) const {
    for (uint32_t i = 0; i < rows.inside; ++i)
      for (uint32_t j = 0; j < columns.inside; ++j)
        visit(input.row({at[0], at[1],
                         static_cast<uint32_t>(rows.first + int64_t{i} * instruction.window.dilationH),
                         static_cast<uint32_t>(columns.first + int64_t{j} * instruction.window.dilationW)}),
              i + j == 0);
  }

  uint32_t countOf(const Taps &rows, const Taps &columns) const {
    if (instruction.function == PoolFunction::averageWithPadding)
      return rows.counted * columns.counted;
    return instruction.function == PoolFunction::average ? rows.inside * columns.inside : 1;
  }

  void realRow(Index4 at, Scratch &scratch) const {
    const Taps rows = rowsOf(at), columns = columnsOf(at);
    const uint32_t channels = output.rowLength();
    std::span tap(scratch.of<float>(rowA, channels), channels),
        acc(scratch.of<float>(rowResult, channels), channels);
    forEachTap(at, rows, columns, [&](const std::byte *row, bool isFirst) {
      readReals(input, row, instruction.inputAffine, isFirst ? acc : tap, scratch);
      if (isFirst)
        return;
      if (instruction.function == PoolFunction::max)
        std::transform(acc.begin(), acc.end(), tap.begin(), acc.begin(),
                       [](float a, float b) { return maximum(a, b); });
      else
        std::transform(acc.begin(), acc.end(), tap.begin(), acc.begin(), std::plus());
    });
    if (instruction.function == PoolFunction::average ||
        instruction.function == PoolFunction::averageWithPadding) {
      const auto count = static_cast<float>(countOf(rows, columns));
      for (float &x : acc)
        x /= count;
    }
    writeReals(acc, instruction.finish, output, output.row(at), scratch);
  }

  void integerRow(Index4 at, Scratch &scratch) const {
    const Taps rows = rowsOf(at), columns = columnsOf(at);
    const uint32_t channels = output.rowLength();
    std::span tap(scratch.of<int32_t>(rowA, channels), channels),
        acc(scratch.of<int32_t>(rowResult, channels), channels);
    forEachTap(at, rows, columns, [&](const std::byte *row, bool isFirst) {
      readIntegers(input, row, isFirst ? acc : tap);
      if (isFirst)
        return;
      if (arithmetic == Arithmetic::keep)
        std::transform(acc.begin(), acc.end(), tap.begin(), acc.begin(),
                       [](int32_t a, int32_t b) { return std::max(a, b); });
      else
        std::transform(acc.begin(), acc.end(), tap.begin(), acc.begin(), std::plus());
    });
    if (arithmetic == Arithmetic::integerSum) {
      const int32_t zero =
          instruction.inputAffine.zeroPoint * static_cast<int32_t>(rows.inside * columns.inside);
      const float factor = averageFactor(instruction.inputAffine.scale, instruction.finish.output.scale,
                                         countOf(rows, columns));
      for (int32_t &x : acc)
        x = landSum(x - zero, factor, instruction.finish, output.type);
    }
    writeIntegers(acc, output, output.row(at));
  }

  Pool instruction;
  View input, output;
  Arithmetic arithmetic;
};

} // namespace

static std::unique_ptr<PreparedOp> prepare(const Pool &pool, unsigned tile, const Places &places) {
  return std::make_unique<PreparedPool>(pool, places.view("input", pool.input, tile),
                                        places.view("output", pool.output, tile));
}

std::unique_ptr<PreparedOp> prepareAny(ReferenceTo<Family::pooling> instruction, unsigned tile,
                                       const Places &places) {
  return std::visit([&](const auto *typed) { return prepare(*typed, tile, places); }, instruction);
}

} // namespace tilerig::emulator
