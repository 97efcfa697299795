// Memory layout of the operands of a product, and the two arithmetics (integer and float) of the POD (matrix
// engine).
#pragma once

#include "emulator/Execute/Pod/Kernels.h"
#include "emulator/Execute/PreparedOp.h"
#include "emulator/Execute/View.h"

#include <span>
#include <vector>

namespace tilerig::emulator::pod {

// Integer arithmetic: int16 operands, from which the zero point has been subtracted, and int32 accumulators.
// An iteration (`step`) of the kernels' loop processes two values of the summation index k.
struct Integers {
  using Operand = int16_t;
  using Accumulator = int32_t;
  using Block = IntegerBlock;
  static constexpr bool isFloat = false;
  static constexpr unsigned step = 2;
};
// Float arithmetic: fp32 operands and accumulators; an iteration of the kernels' loop processes one value of
// k.
struct Floats {
  using Operand = float;
  using Accumulator = float;
  using Block = FloatBlock;
  static constexpr bool isFloat = true;
  static constexpr unsigned step = 1;
};

// Accumulators of a block of positions: a row for each position, padded to whole panels of 16 outputs.
template <class T>
struct Accumulators {
  T *data;
  size_t stride;

  T *row(size_t position) const { return data + position * stride; }
  std::span<T> all(size_t positions) const { return {data, positions * stride}; }
};

// Indices of the scratch buffers of instructions of the POD (matrix engine). The lower indices belong to the
// buffers that Rows.h declares.
enum PodSlot : unsigned {
  activations = 8,
  accumulators,
  startingSums,
  packedWeights,
  packedRow,
  gatheredRow,
  epilogueScales,
  epilogueReals,
  epilogueResult,
  epilogueAddend,
  epilogueAddendReals,
  productSums,
  productScratch
};

constexpr uint64_t roundUp(uint64_t x, uint64_t multiple) { return (x + multiple - 1) / multiple * multiple; }

// Widens `count` elements of an operand to int16 or fp32; strided elements are gathered first. `zeroPoint` is
// subtracted from integers.
void widenRow(const View &view, const std::byte *row, int64_t stride, uint32_t count, int32_t zeroPoint,
              int16_t *out, Scratch &scratch);
void widenRow(const View &view, const std::byte *row, int64_t stride, uint32_t count, int32_t zeroPoint,
              float *out, Scratch &scratch);

// Shape of the weights of one product: a row of weights for each of `outputs` outputs. A row consists of
// `stretches` runs (the taps of a convolution) of `stretch` elements; each run is padded to a multiple of
// Kind::step.
struct WeightShape {
  uint32_t outputs = 0, stretches = 0, stretch = 0;

  template <class Kind>
  uint64_t paddedK() const {
    return uint64_t{stretches} * roundUp(stretch, Kind::step);
  }
  uint32_t panels() const { return static_cast<uint32_t>(roundUp(outputs, panelOutputs) / panelOutputs); }
  // Number of elements of the packed weights in all panels, including their padding.
  template <class Kind>
  uint64_t packedElements() const {
    return panels() * paddedK<Kind>() * panelOutputs;
  }
};

// Packs the weights of one product into panels of 16 outputs. read(output, s, out) must widen run number `s`
// of an output's weights into `out`.
template <class Kind, class Read>
void packPanels(const WeightShape &shape, typename Kind::Operand *packed, Scratch &scratch, Read read) {
  using Operand = typename Kind::Operand;
  constexpr unsigned step = Kind::step;
  const uint64_t padded = roundUp(shape.stretch, step), panelSize = shape.paddedK<Kind>() * panelOutputs;
  std::fill_n(packed, shape.packedElements<Kind>(), Operand(0));
  Operand *row = scratch.of<Operand>(packedRow, padded);
  for (uint32_t output = 0; output < shape.outputs; ++output) {
    Operand *panel = packed + output / panelOutputs * panelSize;
    for (uint32_t s = 0; s < shape.stretches; ++s) {
      read(output, s, row);
      for (uint32_t k = 0; k < shape.stretch; ++k) {
        const uint64_t at = s * padded + k;
        panel[(at / step * panelOutputs + output % panelOutputs) * step + at % step] = row[k];
      }
    }
  }
}

} // namespace tilerig::emulator::pod
