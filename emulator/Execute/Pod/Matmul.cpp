// Matrix products: for each index in the three outer dimensions, a product of m positions with n outputs.
#include "emulator/Execute/Pod/Epilogue.h"
#include "emulator/Execute/Pod/Ops.h"
#include "emulator/Execute/Pod/Product.h"
#include "isa/Instructions/CheckRules.h"

namespace tilerig::emulator::pod {

namespace {

Index4 indexOfRow(const View &output, uint64_t row) { return RowWalk(output, row).index(); }

template <class Kind>
class PreparedMatmul final : public PreparedOp {
  using Operand = typename Kind::Operand;

public:
  explicit PreparedMatmul(Matmuls matmuls)
      : PreparedMatmul(matmuls, *matmuls[0].instruction, matmuls[0].tile, *matmuls[0].places) {}
  PreparedMatmul(Matmuls matmuls, const Matmul &matmul, unsigned tile, const Places &places)
      : PreparedOp(places.view("output", matmul.output, tile).numRows()), matmul(matmul),
        a(places.view("a", matmul.a, tile)), b(weightsOf(matmuls)),
        output(places.view("output", matmul.output, tile)),
        epilogue(epilogueOf(matmuls)), shape{b.size(3), 1, b.rowLength()},
        pitch(roundUp(b.rowLength(), Kind::step)),
        sharesWeights(std::ranges::all_of(std::array{0u, 1u, 2u},
                                          [&](unsigned d) { return b.size(d) == 1 || b.stride(d) == 0; })),
        countsOverflows(places.mayOverflow()) {
    if (sharesWeights && places.isConstant("b"))
      constants = places.packs().findWithinLimit(
          PackCache::keyOf(b, matmul.epilogue.weightZeroPoint, 0), packedBytes(), [&] {
            Scratch scratch;
            std::vector<std::byte> bytes(packedBytes());
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
        Operand *packed = scratch.of<Operand>(packedWeights, shape.template packedElements<Kind>());
        pack(indexOfRow(output, product * rowsPerProduct), packed, scratch);
        panels = packed;
      }
      runProduct(first, last, panels, scratch);
    }
    return {};
  }

private:
  size_t packedBytes() const { return shape.template packedElements<Kind>() * sizeof(Operand); }

  void runProduct(uint64_t first, uint64_t last, const Operand *panels, Scratch &scratch) const {
    const size_t accStride = size_t{shape.panels()} * panelOutputs, most = positionsPerBlock(accStride);
    const Accumulators<typename Kind::Accumulator> acc{
        scratch.of<typename Kind::Accumulator>(accumulators, most * accStride), accStride};
    Operand *widened = scratch.of<Operand>(activations, most * pitch);
    const Tap tap{0, 0, static_cast<uint32_t>(pitch)};
    std::array<int64_t, mostPositions> offsets;
    std::array<uint32_t, mostPositions> rows;
    RowWalk walk(output, first);
    for (; first < last; first += most) {
      const size_t count = std::min<uint64_t>(most, last - first);
      for (size_t p = 0; p < count; ++p, walk.next()) {
        offsets[p] = static_cast<int64_t>(p * pitch);
        rows[p] = static_cast<uint32_t>(first + p);
        widenRow(a, a.row(walk.index()), a.stride(4), shape.stretch, matmul.epilogue.inputZeroPoint,
                 widened + p * pitch, scratch);
        std::fill(widened + p * pitch + shape.stretch, widened + (p + 1) * pitch, Operand(0));
      }
      const std::span block = std::span(rows).first(count);
      epilogue.start(block, acc);
      multiplyPanels<Kind>(widened, std::span(offsets).first(count), std::span(&tap, 1), shape, panels, acc,
                           countsOverflows, scratch);
      epilogue.finish(block, acc, scratch);
    }
  }

  void pack(Index4 at, Operand *panels, Scratch &scratch) const {
    packPanels<Kind>(shape, panels, scratch, [&](uint32_t n, uint32_t, Operand *to) {
      widenRow(b, b.row({at[0], at[1], at[2], n}), b.stride(4), shape.stretch,
               matmul.epilogue.weightZeroPoint, to, scratch);
    });
  }

  Matmul matmul;
  View a, b, output;
  EpilogueRunner epilogue;
  WeightShape shape;
  uint64_t pitch;
  // Whether all matrix products of the instruction use the same weights.
  bool sharesWeights;
  bool countsOverflows;
  PackCache::Bytes constants;
};

} // namespace

std::unique_ptr<PreparedOp> prepareOwn(Matmuls matmuls) {
  if (isFloat(matmuls[0].instruction->a.type))
    return std::make_unique<PreparedMatmul<Floats>>(matmuls);
  return std::make_unique<PreparedMatmul<Integers>>(matmuls);
}

} // namespace tilerig::emulator::pod
