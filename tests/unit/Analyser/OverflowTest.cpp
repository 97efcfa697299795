// Tests of the overflow proof, which shows that accumulators fit in 32 bits: cases worked out by hand, and
// random programs compared with their exact bounds.

#include "isa/Analyser/Analyser.h"
#include "tests/support/Random.h"
#include "tests/unit/Analyser/Build.h"

#include <gtest/gtest.h>

namespace tilerig {
namespace {

using namespace test;
using enum Engine;

constexpr uint64_t constantsAt = 1 << 20, inputAt = 1 << 21;

Stream matrix(uint64_t base, uint32_t rows, uint32_t columns, uint32_t rowStride, ElementType type) {
  const uint32_t size = sizeBytes(type);
  return {.space = Space::ocm,
          .type = type,
          .base = base,
          .dims = {
              {{1, 0}, {1, 0}, {1, 0}, {rows, rows > 1 ? rowStride : 0}, {columns, columns > 1 ? size : 0}}}};
}

// A matrix product of one position and `outputs` outputs, each a sum of k products. The activations repeat
// one byte (stride 0), so that k can be large.
Matmul matmul(uint32_t k, uint32_t outputs, uint64_t activation, uint64_t weights, uint64_t output) {
  Matmul product;
  product.a = matrix(activation, 1, k, 0, ElementType::u8);
  product.a.dims[4].stride = 0;
  product.b = matrix(weights, outputs, k, k, ElementType::u8);
  product.output = matrix(output, 1, outputs, 0, ElementType::i32);
  return product;
}

// A program that runs the instructions one after another, each waiting for all earlier ones.
Program inSequence(const Code &code) {
  Code sequence;
  for (const Instruction &instruction : code) {
    for (Engine on : {pod, pe, dmaIn, dmaOut})
      sequence.push_back(sync(sequencer, on));
    sequence.push_back(instruction);
  }
  return programOf({sequence});
}
std::vector<uint32_t> wideOf(const Program &program) {
  const Analysis analysis = analyse(program);
  EXPECT_TRUE(analysis.proved()) << describe(analysis.problems[0], program);
  std::vector<uint32_t> wide;
  for (const WideAccumulator &accumulator : analysis.wide)
    // inSequence() puts 4 syncs before each instruction, so instruction n has the index 5 n + 4.
    wide.push_back((accumulator.instruction - 4) / 5);
  return wide;
}
using Wide = std::vector<uint32_t>;

Matmul withBias(Matmul product, uint64_t base) {
  product.epilogue.bias = {.present = true, .base = base};
  return product;
}
Matmul accumulating(Matmul product, uint64_t base) {
  product.epilogue.accumulateFrom = product.output;
  product.epilogue.accumulateFrom.base = base;
  return product;
}

TEST(Wide, BiasFromConstants) {
  const auto program = [](int32_t bias, uint64_t from) {
    Program program = inSequence({fill(ocm(0, 32768)),
                                  load(ddr(from, 2, ElementType::i32), ocm(40000, 2, ElementType::i32)),
                                  withBias(matmul(4608, 2, 0, 64, 50000), 40000)});
    addConstant(program, constantsAt, std::vector<int32_t>{5, bias});
    addTensor(program, "x", proto::INPUT, inputAt, 64);
    return program;
  };
  constexpr int32_t margin =
      INT32_MAX - 4608 * 255 * 255; // the largest bias with which no input can cause an overflow
  EXPECT_EQ(wideOf(program(12345, constantsAt)), Wide{});
  EXPECT_EQ(wideOf(program(-margin, constantsAt)), Wide{});
  EXPECT_EQ(wideOf(program(margin, constantsAt)), Wide{});
  // The weights are known to be zero because a fill wrote them, so only a bias near the limit of 32 bits can
  // overflow.
  EXPECT_EQ(wideOf(program(INT32_MAX, constantsAt)), Wide{});
  EXPECT_EQ(wideOf(program(INT32_MIN, constantsAt)), Wide{2});
  EXPECT_EQ(wideOf(program(12345, inputAt)), Wide{2}); // a bias that is an input may have any value
}

TEST(Wide, TheBoundIsExactToTheLastUnit) {
  const auto program = [](int32_t bias) {
    Program program =
        inSequence({load(ddr(inputAt, 32768), ocm(0, 32768)),
                    load(ddr(constantsAt, 1, ElementType::i32), ocm(40000, 1, ElementType::i32)),
                    withBias(matmul(4608, 1, 0, 64, 50000), 40000)});
    addConstant(program, constantsAt, std::vector<int32_t>{bias});
    addTensor(program, "x", proto::INPUT, inputAt, 32768);
    return program;
  };
  constexpr int32_t margin = INT32_MAX - 4608 * 255 * 255;
  EXPECT_EQ(wideOf(program(margin)), Wide{});
  EXPECT_EQ(wideOf(program(-margin)), Wide{});
  EXPECT_EQ(wideOf(program(margin + 1)), Wide{2});
  EXPECT_EQ(wideOf(program(-margin - 1)), Wide{2});
}

// For a sum of more than 33,025 products, the types alone do not prove that it fits in 32 bits; the values of
// constant weights may.
TEST(Wide, WeightsFromConstants) {
  constexpr uint32_t k = 40000;
  const auto program = [](uint8_t weight, uint8_t one, int zeroPoint) {
    Matmul product = matmul(k, 1, 60000, 0, 50000);
    product.epilogue.weightZeroPoint = static_cast<int16_t>(zeroPoint);
    Program program = inSequence({fill(ocm(60000, 8)), load(ddr(constantsAt, k), ocm(0, k)), product});
    std::vector<uint8_t> weights(k, weight);
    weights[777] = one;
    addConstant(program, constantsAt, weights);
    return program;
  };
  EXPECT_EQ(wideOf(program(1, 255, 0)), Wide{});
  // One weight is 255, the others 210: 40000 * 210 * 255 + 45 * 255 < 2^31.
  EXPECT_EQ(wideOf(program(210, 255, 0)), Wide{});
  // With weights of 211 the sum is too large: 40000 * 211 * 255 > 2^31.
  EXPECT_EQ(wideOf(program(211, 255, 0)), Wide{2});
  // With the zero point 128, |w - 128| <= 128 for every weight w of the type.
  EXPECT_EQ(wideOf(program(255, 0, 128)), Wide{});
  EXPECT_EQ(wideOf(program(255, 0, 10)), Wide{2});
}

TEST(Wide, PartialSumsCarryTheirBound) {
  constexpr uint32_t k = 16384; // the sum of each matmul is at most k * 255 * 255 = 1,065,369,600
  Code code = {load(ddr(inputAt, 32768), ocm(0, 32768)), matmul(k, 1, 0, 64, 50000),
               accumulating(matmul(k, 1, 0, 64, 50000), 50000)};
  const auto program = [&] {
    Program program = inSequence(code);
    addTensor(program, "x", proto::INPUT, inputAt, 32768);
    return program;
  };
  EXPECT_EQ(wideOf(program()), Wide{});
  code.push_back(accumulating(matmul(1000, 1, 0, 64, 50000), 50000));
  EXPECT_EQ(wideOf(program()), Wide{3});
  code.push_back(
      accumulating(matmul(1, 1, 0, 64, 50000), 50000)); // a sum that may have wrapped around has no bound
  EXPECT_EQ(wideOf(program()), (Wide{3, 4}));
  // The bound of a partial sum survives a copy and a transfer to DDR and back.
  code.resize(2);
  code.push_back(copy(ocm(50000, 1, ElementType::i32), ocm(50004, 1, ElementType::i32)));
  code.push_back(store(ocm(50004, 1, ElementType::i32), ddr(64, 1, ElementType::i32)));
  code.push_back(load(ddr(64, 1, ElementType::i32), ocm(50008, 1, ElementType::i32)));
  code.push_back(accumulating(matmul(k, 1, 0, 64, 50012), 50008));
  EXPECT_EQ(wideOf(program()), Wide{});
  // A copy byte by byte is not tracked, because it could tear elements apart.
  code[2] = copy(ocm(50000, 4), ocm(50004, 4));
  EXPECT_EQ(wideOf(program()), Wide{5});
  // A load from the input overwrites a byte of the partial sum, so its bound is lost.
  code[2] = copy(ocm(50000, 1, ElementType::i32), ocm(50004, 1, ElementType::i32));
  code.insert(code.begin() + 5, load(ddr(inputAt, 1), ocm(50008, 1)));
  EXPECT_EQ(wideOf(program()), Wide{6});
}

TEST(Wide, ConstantsTravelBetweenTiles) {
  const auto program = [](bool overwritten) {
    Code first = {load(ddr(constantsAt, 4, ElementType::i32), ocm(1024, 4, ElementType::i32)),
                  sync(dmaOut, dmaIn),
                  multicast(0b110, ocm(1024, 4, ElementType::i32), ocm(2048, 4, ElementType::i32)),
                  signal(dmaOut, 1, 0), signal(dmaOut, 2, 0)};
    Code second = {fill(ocm(0, 1024)), wait(dmaOut, 0),
                   store(ocm(2048, 2, ElementType::i32), run(Space::remote, 4096, 2, 2, ElementType::i32)),
                   signal(dmaOut, 2, 1)};
    Code third = {fill(ocm(0, 1024)), sync(pod, pe), wait(pod, 0), wait(pod, 1)};
    if (overwritten)
      third.insert(third.begin() + 4,
                   {sync(dmaIn, pod), load(ddr(inputAt, 1), ocm(4100, 1)), sync(pod, dmaIn)});
    third.push_back(withBias(matmul(16, 4, 0, 64, 8192), 2048));
    third.push_back(withBias(matmul(16, 2, 0, 64, 8256), 4096));
    Program program = programOf({first, second, third});
    addConstant(program, constantsAt, std::vector<int32_t>{1, -2, 3, -4});
    addTensor(program, "x", proto::INPUT, inputAt, 8);
    return program;
  };
  const Analysis analysis = analyse(program(false));
  ASSERT_TRUE(analysis.proved()) << analysis.problems[0].text;
  EXPECT_TRUE(analysis.wide.empty());
  const Analysis other = analyse(program(true));
  ASSERT_TRUE(other.proved()) << other.problems[0].text;
  ASSERT_EQ(other.wide.size(), 1u);
  EXPECT_EQ(other.wide[0], (WideAccumulator{0, 2, 8}));
}

// A strided load reads a bias from constants. The bias is bounded by the least and the greatest constant that
// the load reads; constants in the gaps do not count.
TEST(Wide, GatheredBias) {
  const auto program = [](int32_t between) {
    Load gathering{.source = ddr(constantsAt, 2, ElementType::i32),
                   .destination = ocm(40000, 2, ElementType::i32)};
    gathering.source.dims[4].stride = 8;
    Program program =
        inSequence({fill(ocm(0, 1024)), gathering, withBias(matmul(16, 2, 0, 64, 50000), 40000)});
    addConstant(program, constantsAt, std::vector<int32_t>{1, between, 2, 9});
    return program;
  };
  EXPECT_EQ(wideOf(program(INT32_MIN)), Wide{}); // the value INT32_MIN is in a gap that the load skips
}

// A stage of the initial phase leaves constants in memory. If an inference stage overwrites them, later
// inferences must not assume their values.
TEST(Wide, ConstantsOfTheInitialStage) {
  const auto program = [](bool overwritten) {
    Program program = programOf({{}});
    program.stages.clear();
    addStage(
        program,
        {{load(ddr(constantsAt, 4, ElementType::i32), ocm(1024, 4, ElementType::i32)), fill(ocm(0, 1024))}},
        Phase::initial);
    Code code = {withBias(matmul(16, 4, 0, 64, 8192), 1024)};
    if (overwritten)
      code.insert(code.end(), {sync(pe, pod), fill(ocm(1028, 1, ElementType::i32), 0x80000000)});
    addStage(program, {code});
    addConstant(program, constantsAt, std::vector<int32_t>{1, -2, 3, -4});
    return program;
  };
  EXPECT_TRUE(analyse(program(false)).wide.empty());
  const Program twice = program(true);
  const Analysis analysis = analyse(twice);
  ASSERT_TRUE(analysis.proved());
  EXPECT_EQ(analysis.wide, (std::vector<WideAccumulator>{{1, 0, 0}}));
  Program copied = twice;
  ASSERT_TRUE(prove(copied));
  ASSERT_EQ(copied.proof->wide_size(), 1);
  EXPECT_EQ(copied.proof->wide(0).stage(), 1u);
  EXPECT_EQ(copied.proof->wide(0).instructions(0), 0u);
}

TEST(Wide, AllAccumulatorsOfAProgramWithAProblem) {
  Program program = inSequence({fill(ocm(0, 1024)), matmul(16, 1, 0, 64, 2048)});
  EXPECT_TRUE(analyse(program).wide.empty());
  std::get<DeviceStage>(program.stages[0].work)
      .tiles[0]
      .insert(std::get<DeviceStage>(program.stages[0].work).tiles[0].begin(), load(ddr(0, 8), ocm(4096, 8)));
  EXPECT_EQ(analyse(program).wide.size(), 1u);
}

// A byte of the simulated memory: known, unknown, or part of an i32 element with a known bound.
struct Cell {
  enum { unknown, known, part } kind = unknown;
  uint8_t value = 0;
  int64_t bound = 0;   // greatest magnitude of the i32 element to which the byte belongs, if any
  unsigned offset = 0; // index of the byte in the i32 element to which it belongs, if any
};

class ExactMachine {
public:
  std::array<Cell, 256> ocm{};
  std::map<uint64_t, Cell> ddr;

  // The greatest magnitude that the i32 at `address` can have.
  int64_t magnitudeAt(uint64_t address) const {
    bool known = true, whole = true;
    uint32_t word = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const Cell &cell = ocm[address + i];
      known &= cell.kind == Cell::known;
      whole &= cell.kind == Cell::part && cell.offset == i && cell.bound == ocm[address].bound;
      word |= uint32_t{cell.value} << (8 * i);
    }
    if (known)
      return std::abs(int64_t{static_cast<int32_t>(word)});
    return whole ? ocm[address].bound : int64_t{1} << 31;
  }
  // The largest value that the accumulator of an output can reach; no partial sum is larger.
  int64_t accumulate(uint64_t weights, uint32_t k, int64_t start) const {
    int64_t sum = start;
    for (uint32_t i = 0; i < k; ++i)
      sum += 255 * (ocm[weights + i].kind == Cell::known ? ocm[weights + i].value : 255);
    return sum;
  }
};

TEST(Wide, NoPossibleOverflowIsMissed) {
  size_t narrow = 0, wide = 0, missed = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    Random random(seed);
    ExactMachine exact;
    std::vector<int32_t> numbers;
    for (int i = 0; i < 32; ++i)
      numbers.push_back(static_cast<int32_t>(random.chance(50) ? random.below(1000) : random.next()));
    for (size_t i = 0; i < numbers.size() * 4; ++i)
      exact.ddr[constantsAt + i] = {
          Cell::known, static_cast<uint8_t>(static_cast<uint32_t>(numbers[i / 4]) >> (8 * (i % 4)))};
    Code code = {load(ddr(inputAt, 256), ocm(0, 256))};
    std::vector<bool> overflows = {false};
    const auto word = [&] { return 4 * random.below(60); };
    for (int step = 0; step < 12; ++step) {
      const auto count = static_cast<uint32_t>(1 + random.below(4));
      overflows.push_back(false);
      switch (random.below(6)) {
      case 0: { // random load of constants, or of an input of the program
        const uint64_t from = random.chance(80) ? constantsAt + 4 * random.below(28) : inputAt, to = word();
        code.push_back(load(ddr(from, count, ElementType::i32), ocm(to, count, ElementType::i32)));
        for (uint32_t i = 0; i < 4 * count; ++i)
          exact.ocm[to + i] = exact.ddr[from + i];
        break;
      }
      case 1: {
        const uint64_t to = word();
        const auto value = static_cast<uint32_t>(random.chance(50) ? 0 : random.next());
        code.push_back(fill(ocm(to, count, ElementType::i32), value));
        for (uint32_t i = 0; i < 4 * count; ++i)
          exact.ocm[to + i] = {Cell::known, static_cast<uint8_t>(value >> (8 * (i % 4)))};
        break;
      }
      case 2: { // random copy within the tile, by words or by bytes
        const uint64_t from = 4 * random.below(28), to = 128 + 4 * random.below(28);
        const bool words = random.chance(70);
        const bool back = random.chance(50);
        const Stream low = words ? ocm(from, count, ElementType::i32) : ocm(from, count * 3);
        const Stream high = words ? ocm(to, count, ElementType::i32) : ocm(to, count * 3);
        code.push_back(back ? copy(high, low) : copy(low, high));
        for (uint32_t i = 0; i < (words ? 4 * count : 3 * count); ++i)
          exact.ocm[(back ? from : to) + i] = exact.ocm[(back ? to : from) + i];
        break;
      }
      default: { // random matrix product that adds to a bias, to partial sums or to nothing
        const uint32_t k = static_cast<uint32_t>(1 + random.below(8));
        const uint64_t weights = random.below(128), output = 128 + 4 * random.below(24);
        Matmul product = matmul(k, count, 0, weights, output);
        product.b.dims[3].stride = count > 1 ? k : 0;
        const uint64_t start = 4 * random.below(60);
        const auto how = random.below(3);
        if (how == 1)
          product = withBias(product, start);
        if (how == 2)
          product = accumulating(product, random.chance(50) ? output : start);
        AccessList accesses;
        appendAccesses(product, 0, accesses);
        const uint64_t from = how == 2 ? product.epilogue.accumulateFrom.base : start;
        // Skips multiplications whose inputs overlap their output, because the analyser reports such an
        // overlap as another problem. Partial sums that are accumulated in place, at the same address, are
        // permitted.
        bool overlapping = false;
        for (const Access &access : accesses)
          overlapping |= access.kind == AccessKind::read &&
                         overlap(access.region, Region::ofRun(output, 4 * count)) &&
                         !(access.operand == "epilogue.accumulate_from" && from == output);
        if (overlapping) {
          overflows.pop_back();
          break;
        }
        std::vector<int64_t> bounds;
        for (uint32_t o = 0; o < count; ++o)
          bounds.push_back(
              exact.accumulate(weights + o * k, k, how == 0 ? 0 : exact.magnitudeAt(from + 4 * o)));
        for (uint32_t o = 0; o < count; ++o) {
          const bool overflow = bounds[o] >= int64_t{1} << 31;
          overflows.back() = overflows.back() || overflow;
          for (unsigned i = 0; i < 4; ++i)
            exact.ocm[output + 4 * o + i] = overflow ? Cell{} : Cell{Cell::part, 0, bounds[o], i};
        }
        code.push_back(product);
      }
      }
    }
    Program program = inSequence(code);
    addConstant(program, constantsAt, numbers);
    addTensor(program, "x", proto::INPUT, inputAt, 256);
    const Wide reportedIndices = wideOf(program);
    for (uint32_t i = 0; i < code.size(); ++i) {
      if (!std::holds_alternative<Matmul>(code[i]))
        continue;
      const bool isWide = std::ranges::find(reportedIndices, i) != reportedIndices.end();
      ASSERT_TRUE(isWide || !overflows[i]) << "seed " << seed << " instruction " << i << " may overflow";
      ++(isWide ? wide : narrow);
      missed += isWide && !overflows[i];
    }
  }
  EXPECT_GT(narrow, 5000u);
  EXPECT_GT(wide, 2000u);
  EXPECT_LT(missed, wide / 3); // at most a third of the reported accumulators are false alarms
}

} // namespace
} // namespace tilerig
