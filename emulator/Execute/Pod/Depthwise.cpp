// Depthwise convolutions, whose groups have one channel and one output. The number of channels is padded to a
// multiple of 16, the size of a panel.
#include "emulator/Execute/Pod/Epilogue.h"
#include "emulator/Execute/Pod/Ops.h"
#include "emulator/Execute/Pod/Product.h"
#include "emulator/Execute/Pod/WindowGroups.h"
#include "isa/Instructions/CheckRules.h"

namespace tilerig::emulator::pod {

namespace {

template <class Kind>
class PreparedDepthwise final : public PreparedOp {
  using Operand = typename Kind::Operand;

public:
  PreparedDepthwise(const Conv &conv, unsigned tile, const Places &places)
      : PreparedOp(places.view("output", conv.output, tile).numRows()), conv(conv),
        input(places.view("input", conv.input, tile)), weights(places.view("weights", conv.weights, tile)),
        output(places.view("output", conv.output, tile)),
        epilogue(conv.epilogue, rules::arithmeticOf(conv), output, tile, places),
        channels(output.rowLength()), pitch(static_cast<uint32_t>(roundUp(channels, panelOutputs))),
        frame(frameOf(conv, pitch, Kind::isFloat)), positions(groupPositions(conv, frame, 1)),
        countsOverflows(places.mayOverflow()) {}

  std::optional<DataFault> run(uint64_t begin, uint64_t end, Scratch &scratch) const override {
    const Operand *image = widenImage(scratch), *byTap = widenWeights(scratch);
    const size_t most = positionsPerBlock(pitch);
    const Accumulators<typename Kind::Accumulator> acc{
        scratch.of<typename Kind::Accumulator>(accumulators, most * pitch), pitch};
    for (const PositionGroup &group : positions) {
      size_t first = std::ranges::lower_bound(group.rows, begin) - group.rows.begin();
      const size_t last = std::ranges::lower_bound(group.rows, end) - group.rows.begin();
      for (; first < last; first += most) {
        const size_t count = std::min(most, last - first);
        const std::span rows = std::span(group.rows).subspan(first, count);
        epilogue.start(rows, acc);
        multiply({image, group.offsets.data() + first, count, group.taps.data(), group.taps.size(), byTap,
                  acc.data, pitch},
                 scratch);
        epilogue.finish(rows, acc, scratch);
      }
    }
    return {};
  }

private:
  void multiply(const EachBlock<Operand, typename Kind::Accumulator> &block, Scratch &scratch) const {
    if constexpr (!Kind::isFloat)
      if (countsOverflows) {
        const size_t count = block.positions * pitch;
        int32_t *starts = scratch.of<int32_t>(startingSums, count);
        std::copy_n(block.acc, count, starts);
        multiplyEach(block);
        scratch.overflows += countOverflows(block, starts, channels);
        return;
      }
    multiplyEach(block);
  }

  const Operand *widenImage(Scratch &scratch) const {
    Operand *const image = scratch.of<Operand>(activations, frame.elements(input.size(1)));
    std::fill_n(image, frame.elements(input.size(1)), Operand(0));
    for (uint32_t n = 0; n < input.size(1); ++n)
      for (uint32_t h = 0; h < input.size(2); ++h) {
        Operand *to =
            image + ((uint64_t{n} * frame.height + frame.top + h) * frame.width + frame.left) * pitch;
        for (uint32_t w = 0; w < input.size(3); ++w, to += pitch)
          widenRow(input, input.row({0, n, h, w}), input.stride(4), channels, conv.epilogue.inputZeroPoint,
                   to, scratch);
      }
    return image;
  }
  const Operand *widenWeights(Scratch &scratch) const {
    const uint32_t taps = weights.size(2) * weights.size(3);
    Operand *byTap = scratch.of<Operand>(packedWeights, uint64_t{taps} * pitch);
    for (uint32_t tap = 0; tap < taps; ++tap) {
      Operand *to = byTap + uint64_t{tap} * pitch;
      widenRow(weights, weights.row({0, 0, tap / weights.size(3), tap % weights.size(3)}), weights.stride(1),
               channels, conv.epilogue.weightZeroPoint, to, scratch);
      std::fill(to + channels, to + pitch, Operand(0));
    }
    return byTap;
  }

  Conv conv;
  View input, weights, output;
  EpilogueRunner epilogue;
  uint32_t channels, pitch;
  ImageFrame frame;
  std::vector<PositionGroup> positions;
  bool countsOverflows;
};

} // namespace

std::unique_ptr<PreparedOp> prepareDepthwise(const Conv &conv, unsigned tile, const Places &places) {
  if (isFloat(conv.input.type))
    return std::make_unique<PreparedDepthwise<Floats>>(conv, tile, places);
  return std::make_unique<PreparedDepthwise<Integers>>(conv, tile, places);
}

} // namespace tilerig::emulator::pod
