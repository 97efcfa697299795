#include "emulator/Defects/DefectiveOps.h"

#include "emulator/Execute/Pod/Epilogue.h"
#include "isa/Instructions/CheckRules.h"

#include <bit>
#include <cstring>

namespace tilerig::emulator {

namespace {

// Writes zeros to every destination of an instruction (several for a multicast).
class PreparedZeros final : public PreparedOp {
public:
  explicit PreparedZeros(std::vector<std::unique_ptr<PreparedOp>> fills)
      : PreparedOp(fills[0]->rows()), fills(std::move(fills)) {}

  std::optional<DataFault> run(uint64_t begin, uint64_t end, Scratch &scratch) const override {
    for (const auto &fill : fills)
      (void)fill->run(begin, end, scratch); // filling memory with zeros cannot cause a fault
    return {};
  }

private:
  std::vector<std::unique_ptr<PreparedOp>> fills;
};

std::unique_ptr<PreparedOp> prepareZeros(const Stream &output, uint64_t tiles, const Places &places) {
  std::vector<std::unique_ptr<PreparedOp>> fills;
  for (; tiles != 0; tiles &= tiles - 1)
    fills.push_back(
        prepareOp(Fill{.output = output}, static_cast<unsigned>(std::countr_zero(tiles)), places));
  return std::make_unique<PreparedZeros>(std::move(fills));
}

// The operands of an instruction of the POD (matrix engine), with its output replaced by a separate buffer of
// accumulators.
class AccumulatorPlaces final : public Places {
public:
  AccumulatorPlaces(const Places &places, std::byte *accumulators)
      : places(places), accumulators(accumulators) {}

  View view(std::string_view operand, const Stream &stream, unsigned tile) const override {
    if (operand == "output")
      return {accumulators, stream.type, stream.dims};
    return places.view(operand, stream, tile);
  }
  bool isConstant(std::string_view operand) const override { return places.isConstant(operand); }
  bool mayOverflow() const override { return places.mayOverflow(); }
  PackCache &packs() const override { return places.packs(); }
  const std::byte *vector(std::string_view operand, uint64_t base, uint64_t sizeBytes) const override {
    return places.vector(operand, base, sizeBytes);
  }

private:
  const Places &places;
  std::byte *accumulators;
};

// Returns the POD instruction changed so that it stores its raw accumulators: the output is dense i32 or
// fp32, and the epilogue keeps only what enters the accumulators (bias, zero points, earlier partial sums).
template <class T>
T accumulating(T instruction, bool isFloat) {
  const Epilogue old = instruction.epilogue;
  instruction.epilogue = {.bias = old.bias,
                          .inputZeroPoint = old.inputZeroPoint,
                          .weightZeroPoint = old.weightZeroPoint,
                          .accumulateFrom = old.accumulateFrom};
  instruction.output.type = isFloat ? ElementType::fp32 : ElementType::i32;
  uint64_t stride = 4;
  for (unsigned d = 5; d-- > 0;) {
    instruction.output.dims[d].stride = static_cast<uint32_t>(stride);
    stride *= instruction.output.dims[d].size;
  }
  return instruction;
}

const Stream &firstOperand(const Matmul &matmul) { return matmul.a; }
const Stream &firstOperand(const Conv &conv) { return conv.input; }

// A POD instruction on a tile with defective lanes: computes the product into separate accumulators, applies
// the defects to them, then runs the instruction's epilogue.
class PreparedLanes final : public PreparedOp {
public:
  template <class T>
  PreparedLanes(const T &instruction, unsigned tile, const Places &places, const Defects &defects)
      : PreparedOp(rowsOf(instruction.output)), output(places.view("output", instruction.output, tile)),
        epilogue(instruction.epilogue, rules::arithmeticOf(instruction), output, tile, places),
        isFloat(tilerig::isFloat(firstOperand(instruction).type)),
        // The number of an output position determines which lane of the POD computes it. A matmul numbers the
        // positions of each product of a batch from 0; a conv numbers the output pixels of all images of the
        // batch consecutively.
        positionsPerProduct(std::is_same_v<T, Matmul> ? instruction.output.dims[3].size : rows()),
        accumulators(rows() * output.rowLength()) {
    for (const StuckBit &stuck : defects.stuckBits)
      if (stuck.lane.tile == tile)
        stuckBits.push_back(stuck);
    for (const Lane &lane : defects.deadLanes)
      if (lane.tile == tile)
        deadLanes.push_back(lane);
    for (const NarrowAccumulators &narrow : defects.narrowAccumulators)
      if (narrow.tile == tile && !isFloat)
        width = std::min(width, narrow.bits);
    product = prepareOp(accumulating(instruction, isFloat), tile,
                        AccumulatorPlaces(places, reinterpret_cast<std::byte *>(accumulators.data())));
  }

  std::optional<DataFault> run(uint64_t begin, uint64_t end, Scratch &scratch) const override {
    if (auto fault = product->run(begin, end, scratch))
      return fault;
    const size_t outputs = output.rowLength();
    std::vector<uint32_t> rows;
    for (uint64_t row = begin; row < end; ++row) {
      damage({accumulators.data() + row * outputs, outputs}, row % positionsPerProduct);
      rows.push_back(static_cast<uint32_t>(row));
    }
    uint32_t *first = accumulators.data() + begin * outputs;
    if (isFloat)
      epilogue.finish(rows, pod::Accumulators<float>{reinterpret_cast<float *>(first), outputs}, scratch);
    else
      epilogue.finish(rows, pod::Accumulators<int32_t>{reinterpret_cast<int32_t *>(first), outputs}, scratch);
    return {};
  }

private:
  static constexpr uint32_t accumulatorBits = 32;

  static uint64_t rowsOf(const Stream &output) {
    uint64_t rows = 1;
    for (unsigned d = 0; d < 4; ++d)
      rows *= output.dims[d].size;
    return rows;
  }

  void damage(std::span<uint32_t> acc, uint64_t position) const {
    if (width < accumulatorBits)
      for (uint32_t &bits : acc)
        bits = static_cast<uint32_t>(static_cast<int32_t>(bits << (accumulatorBits - width)) >>
                                     (accumulatorBits - width));
    const auto forEachOf = [&](const Lane &lane, auto change) {
      if (position % Lane::gridSize == lane.position)
        for (size_t o = lane.output; o < acc.size(); o += Lane::gridSize)
          change(acc[o]);
    };
    for (const StuckBit &stuck : stuckBits)
      forEachOf(stuck.lane, [&](uint32_t &bits) {
        const uint32_t mask = uint32_t{1} << stuck.bit;
        bits = stuck.value ? bits | mask : bits & ~mask;
      });
    for (const Lane &lane : deadLanes)
      forEachOf(lane, [](uint32_t &bits) { bits = 0; });
  }

  View output;
  pod::EpilogueRunner epilogue;
  bool isFloat;
  uint64_t positionsPerProduct;
  // Accumulators of the POD (matrix engine), as bit patterns of i32 or fp32.
  mutable std::vector<uint32_t> accumulators;
  std::vector<StuckBit> stuckBits;
  std::vector<Lane> deadLanes;
  uint32_t width = accumulatorBits; // number of low bits of an integer accumulator that are kept
  std::unique_ptr<PreparedOp> product;
};

} // namespace

std::unique_ptr<PreparedOp> prepareDefective(const Instruction &instruction, unsigned tile,
                                             const Places &places, const Defects &defects) {
  if (defects.isDead(tile)) {
    const uint64_t own = uint64_t{1} << tile;
    return std::visit(
        [&]<class T>(const T &typed) -> std::unique_ptr<PreparedOp> {
          if constexpr (std::is_same_v<T, Multicast>)
            return prepareZeros(typed.destination, typed.tiles, places);
          else if constexpr (requires { typed.destination; })
            return prepareZeros(typed.destination, own, places);
          else if constexpr (requires { typed.output; })
            return prepareZeros(typed.output, own, places);
          else
            return nullptr;
        },
        instruction);
  }
  if (defects.hasLanes(tile) && isProduct(instruction))
    return std::visit(
        [&]<class T>(const T &typed) -> std::unique_ptr<PreparedOp> {
          if constexpr (ProductInstruction<T>)
            return std::make_unique<PreparedLanes>(typed, tile, places, defects);
          else
            return nullptr;
        },
        instruction);
  return prepareOp(instruction, tile, places);
}

Instruction deadInstruction(const Instruction &instruction) {
  return std::visit(
      []<class T>(const T &typed) -> Instruction {
        if constexpr (requires { typed.output; })
          return Fill{.layer = typed.layer, .output = typed.output};
        else
          return typed;
      },
      instruction);
}

} // namespace tilerig::emulator
