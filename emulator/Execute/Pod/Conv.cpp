// Convolutions whose groups have several channels or outputs: a matrix product for each group, with packed
// weights.
#include "emulator/Execute/Pod/Epilogue.h"
#include "emulator/Execute/Pod/Ops.h"
#include "emulator/Execute/Pod/Product.h"
#include "emulator/Execute/Pod/WindowGroups.h"
#include "isa/Instructions/CheckRules.h"

namespace tilerig::emulator::pod {

namespace {

OperandLayout layoutOf(const Conv &conv, const ImageFrame &frame, uint32_t groupPitch) {
  return {frame.top,
          frame.left,
          frame.height,
          frame.width,
          static_cast<int64_t>(frame.pitch),
          groupPitch,
          conv.epilogue.inputZeroPoint};
}

template <class Kind>
class PreparedConv final : public PreparedOp {
  using Operand = typename Kind::Operand;
  using Sums = Accumulators<typename Kind::Accumulator>;

public:
  explicit PreparedConv(Convs convs)
      : PreparedConv(convs, *convs[0].instruction, convs[0].tile, *convs[0].places) {}
  PreparedConv(Convs convs, const Conv &conv, unsigned tile, const Places &places)
      : PreparedOp(places.view("output", conv.output, tile).numRows()), conv(conv),
        input(places.view("input", conv.input, tile)), weights(weightsOf(convs)), epilogue(epilogueOf(convs)),
        groupChannels(weights.size(4)), groupPitch(static_cast<uint32_t>(roundUp(groupChannels, Kind::step))),
        shape{weights.size(1) / conv.groups, weights.size(2) * weights.size(3), groupChannels},
        frame(frameOf(conv, uint64_t{conv.groups} * groupPitch, Kind::isFloat)),
        positions(groupPositions(conv, frame, groupPitch)),
        shared(places.shared(input, layoutOf(conv, frame, groupPitch))),
        countsOverflows(places.mayOverflow()) {
    if (places.isConstant("weights")) {
      constants = places.packs().findWithinLimit(
          PackCache::keyOf(weights, conv.epilogue.weightZeroPoint, conv.groups),
          packedElements() * sizeof(Operand), [&] {
            Scratch scratch;
            std::vector<std::byte> bytes(packedElements() * sizeof(Operand));
            pack(reinterpret_cast<Operand *>(bytes.data()), scratch);
            return bytes;
          });
    }
  }

  std::optional<DataFault> run(uint64_t begin, uint64_t end, Scratch &scratch) const override {
    const bool shares = shared && begin == 0 && end == rows();
    const Operand *image = shares ? sharedImage(scratch) : ownImage(scratch);
    const Operand *panels = panelsOf(scratch);
    const size_t accStride = conv.groups * size_t{shape.panels()} * panelOutputs;
    const size_t most = positionsPerBlock(accStride);
    const Sums acc{scratch.of<typename Kind::Accumulator>(accumulators, most * accStride), accStride};
    for (const PositionGroup &group : positions) {
      size_t first = std::ranges::lower_bound(group.rows, begin) - group.rows.begin();
      const size_t last = std::ranges::lower_bound(group.rows, end) - group.rows.begin();
      for (; first < last; first += most)
        runBlock(group, first, std::min(most, last - first), image, panels, acc, scratch);
    }
    if (shares)
      shared->release();
    return {};
  }

private:
  void runBlock(const PositionGroup &group, size_t first, size_t count, const Operand *image,
                const Operand *panels, Sums acc, Scratch &scratch) const {
    const std::span rows = std::span(group.rows).subspan(first, count);
    epilogue.start(rows, acc);
    for (size_t p = 0; p < count; ++p)
      partGroups(acc.row(p));
    for (uint32_t g = 0; g < conv.groups; ++g)
      multiplyPanels<Kind>(image + uint64_t{g} * groupPitch, std::span(group.offsets).subspan(first, count),
                           group.taps, shape, panels + g * shape.template packedElements<Kind>(),
                           {acc.data + g * size_t{shape.panels()} * panelOutputs, acc.stride},
                           countsOverflows, scratch);
    for (size_t p = 0; p < count; ++p)
      joinGroups(acc.row(p));
    epilogue.finish(rows, acc, scratch);
  }

  // Inserts and removes padding between the groups in a row of accumulators. While products are added, the
  // accumulators of each group begin at a multiple of a panel (16 outputs); before and after, the groups are
  // contiguous. partGroups() inserts the padding, joinGroups() removes it.
  void partGroups(typename Kind::Accumulator *row) const {
    const size_t pitch = size_t{shape.panels()} * panelOutputs;
    for (size_t g = conv.groups; g-- > 1 && pitch != shape.outputs;)
      std::copy_backward(row + g * shape.outputs, row + (g + 1) * shape.outputs,
                         row + g * pitch + shape.outputs);
    for (size_t g = 0; g < conv.groups; ++g)
      std::fill(row + g * pitch + shape.outputs, row + (g + 1) * pitch, 0);
  }
  void joinGroups(typename Kind::Accumulator *row) const {
    const size_t pitch = size_t{shape.panels()} * panelOutputs;
    for (size_t g = 1; g < conv.groups && pitch != shape.outputs; ++g)
      std::copy_n(row + g * pitch, shape.outputs, row + g * shape.outputs);
  }

  const Operand *ownImage(Scratch &scratch) const {
    Operand *image = scratch.of<Operand>(activations, frame.elements(input.size(1)));
    for (uint32_t row = 0; row < input.size(1) * frame.height; ++row)
      widenImageRow(image, row, scratch);
    return image;
  }
  const Operand *sharedImage(Scratch &scratch) const {
    const std::byte *image = shared->get(
        frame.elements(input.size(1)) * sizeof(Operand), input.size(1) * frame.height,
        [&](std::byte *to, uint32_t row) { widenImageRow(reinterpret_cast<Operand *>(to), row, scratch); });
    return reinterpret_cast<const Operand *>(image);
  }

  // Fills a row of the widened image (the input in the kernels' wider operand type). `row` is a row number;
  // the rows of all images of the batch are numbered consecutively.
  void widenImageRow(Operand *image, uint32_t row, Scratch &scratch) const {
    Operand *to = image + row * frame.width * frame.pitch, *const end = to + frame.width * frame.pitch;
    const uint32_t n = row / frame.height, h = row % frame.height - frame.top;
    if (row % frame.height < frame.top || h >= input.size(2))
      return std::fill(to, end, Operand(0));
    std::fill_n(to, frame.left * frame.pitch, Operand(0));
    to += frame.left * frame.pitch;
    const std::byte *from = input.row({0, n, h, 0});
    const int32_t zero = conv.epilogue.inputZeroPoint;
    const bool isPlain = groupPitch == groupChannels;
    // Converts the whole row to the kernels' wider type at once if its pixels are contiguous.
    if (isPlain && input.rowIsDense() &&
        (input.size(3) == 1 || input.stride(3) == int64_t(frame.pitch) * sizeBytes(input.type))) {
      const auto count = static_cast<uint32_t>(frame.pitch * input.size(3));
      widenRow(input, from, sizeBytes(input.type), count, zero, to, scratch);
      to += count;
    } else {
      for (uint32_t w = 0; w < input.size(3); ++w)
        for (uint32_t g = 0; g < conv.groups; ++g, to += groupPitch) {
          widenRow(input, from + w * input.stride(3) + int64_t{g} * groupChannels * input.stride(4),
                   input.stride(4), groupChannels, zero, to, scratch);
          if (!isPlain)
            to[groupChannels] = 0;
        }
    }
    std::fill(to, end, Operand(0));
  }

  size_t packedElements() const { return conv.groups * shape.template packedElements<Kind>(); }

  const Operand *panelsOf(Scratch &scratch) const {
    if (constants)
      return reinterpret_cast<const Operand *>(constants->data());
    Operand *panels = scratch.of<Operand>(packedWeights, packedElements());
    pack(panels, scratch);
    return panels;
  }

  void pack(Operand *panels, Scratch &scratch) const {
    for (uint32_t g = 0; g < conv.groups; ++g)
      packPanels<Kind>(shape, panels + g * shape.template packedElements<Kind>(), scratch,
                       [&](uint32_t o, uint32_t tap, Operand *to) {
                         const std::byte *row = weights.row(
                             {0, g * shape.outputs + o, tap / weights.size(3), tap % weights.size(3)});
                         widenRow(weights, row, weights.stride(4), groupChannels,
                                  conv.epilogue.weightZeroPoint, to, scratch);
                       });
  }

  Conv conv;
  View input, weights;
  EpilogueRunner epilogue;
  uint32_t groupChannels, groupPitch;
  WeightShape shape; // shape of the weights of one group of the convolution
  ImageFrame frame;
  std::vector<PositionGroup> positions;
  PackCache::Bytes constants;
  SharedOperand *shared;
  bool countsOverflows;
};

} // namespace

std::unique_ptr<PreparedOp> prepareInGroups(Convs convs) {
  if (isFloat(convs[0].instruction->input.type))
    return std::make_unique<PreparedConv<Floats>>(convs);
  return std::make_unique<PreparedConv<Integers>>(convs);
}

} // namespace tilerig::emulator::pod
