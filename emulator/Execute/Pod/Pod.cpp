// What the POD computes: sums of products in their order, then the epilogue.
#include "emulator/Execute/Families.h"
#include "emulator/Execute/Pod/Epilogue.h"
#include "emulator/Execute/Pod/Pack.h"
#include "emulator/Execute/Pod/Product.h"
#include "emulator/Execute/Pod/WindowGroups.h"
#include "emulator/Execute/Rows.h"
#include "isa/Instructions/CheckRules.h"

namespace tilerig {

namespace {

using namespace pod;

// Slots of the scratch: these three, and those of Layout.h and Epilogue.cpp.
constexpr unsigned activationSlot = rowB, accumulatorSlot = rowC, packedSlot = ownA;

Index4 indexOfRow(const View &output, uint64_t row) { return RowWalk(output, row).index(); }

// --- Convolution ---

// Groups with many channels and outputs: a product for each group.
template <class Kind>
class ConvWork final : public Work {
  using Operand = typename Kind::Operand;

public:
  ConvWork(const Conv &it, unsigned tile, const Places &places)
      : Work(places.view("output", it.output, tile).numRows()), it(it),
        input(places.view("input", it.input, tile)), weights(places.view("weights", it.weights, tile)),
        output(places.view("output", it.output, tile)),
        epilogue(it.epilogue, rules::arithmeticOf(it), output, tile, places), groupChannels(weights.size(4)),
        groupPitch(static_cast<uint32_t>(roundUp(groupChannels, Kind::step))),
        shape{weights.size(1) / it.groups, weights.size(2) * weights.size(3), groupChannels},
        positions(groupPositions(it, uint64_t{it.groups} * groupPitch, groupPitch)) {
    if (places.isConstant("weights")) {
      constants = places.packs().find(PackCache::keyOf(weights, it.epilogue.weightZeroPoint, it.groups), [&] {
        Scratch scratch;
        std::vector<std::byte> bytes(it.groups * shape.template packedElements<Kind>() * sizeof(Operand));
        pack(reinterpret_cast<Operand *>(bytes.data()), scratch);
        return bytes;
      });
    }
  }

  std::optional<DataFault> run(uint64_t begin, uint64_t end, Scratch &scratch) const override {
    const Operand *image = widenImage(scratch);
    const Operand *panels = packedWeights(scratch);
    const size_t accStride = it.groups * size_t{shape.panels()} * panelOutputs;
    const size_t most = positionsPerBlock(accStride);
    Accumulators<Kind> acc{scratch.of<typename Kind::Accumulator>(accumulatorSlot, most * accStride),
                           accStride};
    for (const PositionGroup &group : positions) {
      size_t first = std::ranges::lower_bound(group.rows, begin) - group.rows.begin();
      const size_t last = std::ranges::lower_bound(group.rows, end) - group.rows.begin();
      for (; first < last; first += most)
        runBlock(group, first, std::min(most, last - first), image, panels, acc, scratch);
    }
    return {};
  }

private:
  void runBlock(const PositionGroup &group, size_t first, size_t count, const Operand *image,
                const Operand *panels, Accumulators<Kind> acc, Scratch &scratch) const {
    const uint32_t outputs = output.rowLength();
    for (size_t p = 0; p < count; ++p)
      startRow(indexOfRow(output, group.rows[first + p]), acc.row(p, acc.stride), scratch);
    for (uint32_t g = 0; g < it.groups; ++g)
      multiplyPanels<Kind>(image + uint64_t{g} * groupPitch, std::span(group.offsets).subspan(first, count),
                           group.taps, shape, panels + g * shape.template packedElements<Kind>(),
                           {acc.data + g * size_t{shape.panels()} * panelOutputs, acc.stride});
    for (size_t p = 0; p < count; ++p) {
      joinGroups(acc.row(p, acc.stride));
      epilogue.finish(indexOfRow(output, group.rows[first + p]), acc.row(p, outputs), scratch);
    }
  }

  // Outputs of a group begin at a whole panel while products are summed, and lie side by side before and
  // after.
  void startRow(Index4 at, std::span<typename Kind::Accumulator> row, Scratch &) const {
    epilogue.start(at, row.first(output.rowLength()));
    const size_t pitch = size_t{shape.panels()} * panelOutputs;
    for (size_t g = it.groups; g-- > 1 && pitch != shape.outputs;)
      std::copy_backward(row.begin() + g * shape.outputs, row.begin() + (g + 1) * shape.outputs,
                         row.begin() + g * pitch + shape.outputs);
    for (size_t g = 0; g < it.groups; ++g)
      std::fill(row.begin() + g * pitch + shape.outputs, row.begin() + (g + 1) * pitch, 0);
  }
  void joinGroups(std::span<typename Kind::Accumulator> row) const {
    const size_t pitch = size_t{shape.panels()} * panelOutputs;
    for (size_t g = 1; g < it.groups && pitch != shape.outputs; ++g)
      std::copy_n(row.begin() + g * pitch, shape.outputs, row.begin() + g * shape.outputs);
  }

  const Operand *widenImage(Scratch &scratch) const {
    const uint64_t pixels = uint64_t{input.size(1)} * input.size(2) * input.size(3);
    const uint64_t pitch = uint64_t{it.groups} * groupPitch;
    Operand *image = scratch.of<Operand>(activationSlot, pixels * pitch);
    const int32_t zero = it.epilogue.inputZeroPoint;
    const bool isPlain = groupPitch == groupChannels;
    Operand *to = image;
    for (uint32_t n = 0; n < input.size(1); ++n)
      for (uint32_t h = 0; h < input.size(2); ++h) {
        const std::byte *row = input.row({0, n, h, 0});
        // A whole row at once, where pixels follow each other without gaps.
        if (isPlain && input.rowIsDense() &&
            (input.size(3) == 1 || input.stride(3) == int64_t(pitch) * sizeBytes(input.type))) {
          widenRow(input, row, sizeBytes(input.type), static_cast<uint32_t>(pitch * input.size(3)), zero, to,
                   scratch);
          to += pitch * input.size(3);
          continue;
        }
        for (uint32_t w = 0; w < input.size(3); ++w)
          for (uint32_t g = 0; g < it.groups; ++g, to += groupPitch) {
            widenRow(input, row + w * input.stride(3) + int64_t{g} * groupChannels * input.stride(4),
                     input.stride(4), groupChannels, zero, to, scratch);
            if (!isPlain)
              to[groupChannels] = 0;
          }
      }
    return image;
  }

  const Operand *packedWeights(Scratch &scratch) const {
    if (constants)
      return reinterpret_cast<const Operand *>(constants->data());
    Operand *panels = scratch.of<Operand>(packedSlot, it.groups * shape.template packedElements<Kind>());
    pack(panels, scratch);
    return panels;
  }

  void pack(Operand *panels, Scratch &scratch) const {
    for (uint32_t g = 0; g < it.groups; ++g)
      packPanels<Kind>(shape, panels + g * shape.template packedElements<Kind>(), scratch,
                       [&](uint32_t o, uint32_t tap, Operand *to) {
                         const std::byte *row = weights.row(
                             {0, g * shape.outputs + o, tap / weights.size(3), tap % weights.size(3)});
                         widenRow(weights, row, weights.stride(4), groupChannels, it.epilogue.weightZeroPoint,
                                  to, scratch);
                       });
  }

  Conv it;
  View input, weights, output;
  EpilogueRunner epilogue;
  uint32_t groupChannels, groupPitch;
  WeightShape shape; // of one group
  std::vector<PositionGroup> positions;
  PackCache::Bytes constants;
};

// Groups of one channel and one output: every channel for itself.
template <class Kind>
class DepthwiseWork final : public Work {
  using Operand = typename Kind::Operand;

public:
  DepthwiseWork(const Conv &it, unsigned tile, const Places &places)
      : Work(places.view("output", it.output, tile).numRows()), it(it),
        input(places.view("input", it.input, tile)), weights(places.view("weights", it.weights, tile)),
        output(places.view("output", it.output, tile)),
        epilogue(it.epilogue, rules::arithmeticOf(it), output, tile, places),
        positions(groupPositions(it, input.rowLength(), 1)) {}

  std::optional<DataFault> run(uint64_t begin, uint64_t end, Scratch &scratch) const override {
    const uint32_t channels = output.rowLength(), taps = weights.size(2) * weights.size(3);
    const Operand *image = widenImage(scratch);
    Operand *byTap = scratch.of<Operand>(packedSlot, uint64_t{taps} * channels);
    for (uint32_t tap = 0; tap < taps; ++tap)
      widenRow(weights, weights.row({0, 0, tap / weights.size(3), tap % weights.size(3)}), weights.stride(1),
               channels, it.epilogue.weightZeroPoint, byTap + uint64_t{tap} * channels, scratch);
    std::span acc(scratch.of<typename Kind::Accumulator>(accumulatorSlot, channels), channels);
    for (const PositionGroup &group : positions) {
      size_t p = std::ranges::lower_bound(group.rows, begin) - group.rows.begin();
      for (; p < group.rows.size() && group.rows[p] < end; ++p) {
        const Index4 at = indexOfRow(output, group.rows[p]);
        epilogue.start(at, acc);
        for (const Tap &tap : group.taps)
          multiplyEach(image + group.offsets[p] + tap.a, byTap + tap.b * channels, acc.data(), channels);
        epilogue.finish(at, acc, scratch);
      }
    }
    return {};
  }

private:
  const Operand *widenImage(Scratch &scratch) const {
    const uint32_t channels = input.rowLength();
    Operand *image = scratch.of<Operand>(activationSlot,
                                         uint64_t{input.size(1)} * input.size(2) * input.size(3) * channels);
    Operand *to = image;
    for (uint32_t n = 0; n < input.size(1); ++n)
      for (uint32_t h = 0; h < input.size(2); ++h)
        for (uint32_t w = 0; w < input.size(3); ++w, to += channels)
          widenRow(input, input.row({0, n, h, w}), input.stride(4), channels, it.epilogue.inputZeroPoint, to,
                   scratch);
    return image;
  }

  Conv it;
  View input, weights, output;
  EpilogueRunner epilogue;
  std::vector<PositionGroup> positions;
};

// --- Matrix multiplication ---

// For every x, y, z a product of m positions with n outputs.
template <class Kind>
class MatmulWork final : public Work {
  using Operand = typename Kind::Operand;

public:
  MatmulWork(const Matmul &it, unsigned tile, const Places &places)
      : Work(places.view("output", it.output, tile).numRows()), it(it), a(places.view("a", it.a, tile)),
        b(places.view("b", it.b, tile)), output(places.view("output", it.output, tile)),
        epilogue(it.epilogue, rules::arithmeticOf(it), output, tile, places), shape{b.size(3), 1,
                                                                                    b.rowLength()},
        pitch(roundUp(b.rowLength(), Kind::step)),
        sharesWeights(std::ranges::all_of(std::array{0u, 1u, 2u},
                                          [&](unsigned d) { return b.size(d) == 1 || b.stride(d) == 0; })) {
    if (sharesWeights && places.isConstant("b"))
      constants = places.packs().find(PackCache::keyOf(b, it.epilogue.weightZeroPoint, 0), [&] {
        Scratch scratch;
        std::vector<std::byte> bytes(shape.template packedElements<Kind>() * sizeof(Operand));
        pack({}, reinterpret_cast<Operand *>(bytes.data()), scratch);
        return bytes;
      });
  }

  std::optional<DataFault> run(uint64_t begin, uint64_t end, Scratch &scratch) const override {
    const uint64_t rowsPerProduct = output.size(3);
    const Operand *panels = constants ? reinterpret_cast<const Operand *>(constants->data()) : nullptr;
    for (uint64_t product = begin / rowsPerProduct; product * rowsPerProduct < end; ++product) {
      const uint64_t first = std::max(begin, product * rowsPerProduct),
                     last = std::min(end, (product + 1) * rowsPerProduct);
      if (!panels || !sharesWeights) {
        Operand *packed = scratch.of<Operand>(packedSlot, shape.template packedElements<Kind>());
        pack(indexOfRow(output, product * rowsPerProduct), packed, scratch);
        panels = packed;
      }
      runProduct(first, last, panels, scratch);
    }
    return {};
  }

private:
  void runProduct(uint64_t first, uint64_t last, const Operand *panels, Scratch &scratch) const {
    const size_t accStride = size_t{shape.panels()} * panelOutputs, most = positionsPerBlock(accStride);
    Accumulators<Kind> acc{scratch.of<typename Kind::Accumulator>(accumulatorSlot, most * accStride),
                           accStride};
    Operand *rows = scratch.of<Operand>(activationSlot, most * pitch);
    const Tap tap{0, 0, static_cast<uint32_t>(pitch)};
    std::array<int64_t, 240> offsets;
    for (; first < last; first += most) {
      const size_t count = std::min<uint64_t>(most, last - first);
      for (size_t p = 0; p < count; ++p) {
        const Index4 at = indexOfRow(output, first + p);
        offsets[p] = static_cast<int64_t>(p * pitch);
        widenRow(a, a.row(at), a.stride(4), shape.stretch, it.epilogue.inputZeroPoint, rows + p * pitch,
                 scratch);
        std::fill(rows + p * pitch + shape.stretch, rows + (p + 1) * pitch, Operand(0));
        epilogue.start(at, acc.row(p, shape.outputs));
        std::fill_n(acc.data + p * accStride + shape.outputs, accStride - shape.outputs, 0);
      }
      multiplyPanels<Kind>(rows, std::span(offsets).first(count), std::span(&tap, 1), shape, panels, acc);
      for (size_t p = 0; p < count; ++p)
        epilogue.finish(indexOfRow(output, first + p), acc.row(p, shape.outputs), scratch);
    }
  }

  void pack(Index4 at, Operand *panels, Scratch &scratch) const {
    packPanels<Kind>(shape, panels, scratch, [&](uint32_t n, uint32_t, Operand *to) {
      widenRow(b, b.row({at[0], at[1], at[2], n}), b.stride(4), shape.stretch, it.epilogue.weightZeroPoint,
               to, scratch);
    });
  }

  Matmul it;
  View a, b, output;
  EpilogueRunner epilogue;
  WeightShape shape;
  uint64_t pitch;
  bool sharesWeights; // one product's weights serve all
  PackCache::Bytes constants;
};

bool isDepthwise(const Conv &it) {
  return it.groups > 1 && it.weights.dims[4].size == 1 && it.weights.dims[1].size == it.groups;
}

} // namespace

std::unique_ptr<Work> prepare(const Matmul &it, unsigned tile, const Places &places) {
  if (isFloat(it.a.type))
    return std::make_unique<MatmulWork<Floats>>(it, tile, places);
  return std::make_unique<MatmulWork<Integers>>(it, tile, places);
}

std::unique_ptr<Work> prepare(const Conv &it, unsigned tile, const Places &places) {
  if (isFloat(it.input.type)) {
    if (isDepthwise(it))
      return std::make_unique<DepthwiseWork<Floats>>(it, tile, places);
    return std::make_unique<ConvWork<Floats>>(it, tile, places);
  }
  if (isDepthwise(it))
    return std::make_unique<DepthwiseWork<Integers>>(it, tile, places);
  return std::make_unique<ConvWork<Integers>>(it, tile, places);
}

} // namespace tilerig
