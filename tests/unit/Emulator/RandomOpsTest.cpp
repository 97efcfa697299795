// Every instruction that computes or moves data, on random operands: the emulator's prepared operation
// (`PreparedOp`) leaves the same bits in memory as the naive PlainMachine (all NaNs counting as equal),
// whether it computes all rows at once or a few at a time.
#include "emulator/Execute/Pod/OneDnn.h"
#include "emulator/Execute/Pod/Ops.h"
#include "emulator/Execute/Vectors.h"
#include "isa/Instructions/Streams.h"
#include "tests/support/RandomInstruction.h"
#include "tests/unit/Emulator/PlainPlaces.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace tilerig {
using namespace emulator;
namespace {

using test::PlainMachine;
using test::PlainPlaces;
using test::Random;

constexpr unsigned numTiles = 4, tile = 1;

Machine smallMachine() {
  Machine machine = *loadMachine("tiny");
  machine.ddr.sizeBytes = 1 << 16;
  machine.tile.ocmBytes = 1 << 15;
  return machine;
}

std::byte *elementAt(PlainMachine &machine, const Stream &s, uint64_t offset) {
  auto &memory = s.space == Space::ddr      ? machine.ddr
                 : s.space == Space::remote ? machine.ocms[s.tile]
                                            : machine.ocms[tile];
  return memory.data() + s.base + offset;
}

template <class F>
void forEachOffset(const Stream &s, F f) {
  for (uint64_t a = 0; a < s.dims[0].size; ++a)
    for (uint64_t b = 0; b < s.dims[1].size; ++b)
      for (uint64_t c = 0; c < s.dims[2].size; ++c)
        for (uint64_t d = 0; d < s.dims[3].size; ++d)
          for (uint64_t e = 0; e < s.dims[4].size; ++e)
            f(a * s.dims[0].stride + b * s.dims[1].stride + c * s.dims[2].stride + d * s.dims[3].stride +
              e * s.dims[4].stride);
}

// A random float of ordinary magnitude, sometimes a special value such as NaN.
float someFloat(Random &random) {
  constexpr float special[] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1e-40f, 3e38f};
  if (random.chance(2))
    return special[random.below(std::size(special))];
  return static_cast<float>(static_cast<double>(random.next() >> 40) * 0x1p-21 - 4);
}

void fillElement(std::byte *to, ElementType type, Random &random) {
  const float x = someFloat(random);
  uint32_t bits = static_cast<uint32_t>(random.next());
  if (type == ElementType::fp32)
    std::memcpy(&bits, &x, sizeof bits);
  else if (type == ElementType::bf16)
    std::memcpy(&bits, &x, sizeof bits), bits >>= 16;
  else if (type == ElementType::fp16 && !random.chance(10))
    bits = (bits & 0x83FF) | static_cast<uint32_t>(10 + random.below(10)) << 10; // 2^-5 ... 2^4
  else if (type == ElementType::i9)
    bits = static_cast<uint32_t>(static_cast<int32_t>(bits % 512) - 256);
  else if (type == ElementType::i32 && random.chance(80))
    bits = static_cast<uint32_t>(static_cast<int32_t>(bits % 2001) - 1000);
  std::memcpy(to, &bits, sizeBytes(type));
}

// Memories with random bytes everywhere except in the operands, which get values that are usual for their
// type. Vectors of constants get floats of ordinary size; if an instruction reads them as integers, they are
// large numbers.
template <class T>
PlainMachine randomMemories(const T &instruction, const Machine &machine, Random &random) {
  PlainMachine memories(numTiles, machine.tile.ocmBytes, machine.ddr.sizeBytes);
  for (auto &ocm : memories.ocms)
    for (size_t i = 0; i < ocm.size(); i += 8) {
      const uint64_t bits = random.next();
      std::memcpy(ocm.data() + i, &bits, sizeof bits);
    }
  for (size_t i = 0; i < machine.tile.ocmBytes; i += 4)
    fillElement(memories.ocms[tile].data() + i, ElementType::fp32, random);
  forEachStream(instruction, [&](std::string_view, const Stream &s) {
    if (s.present())
      forEachOffset(s, [&](uint64_t offset) { fillElement(elementAt(memories, s, offset), s.type, random); });
  });
  if constexpr (std::is_same_v<T, Gather>)
    if (!random.chance(20)) // in 20 % of the cases, most indices stay out of bounds
      forEachOffset(instruction.indices, [&](uint64_t offset) {
        const auto rows = static_cast<int64_t>(instruction.source.dims[2].size);
        const auto index = static_cast<int32_t>(static_cast<int64_t>(random.below(2 * rows)) - rows);
        std::memcpy(elementAt(memories, instruction.indices, offset), &index, sizeof index);
      });
  return memories;
}

bool isNanOf(ElementType type, const std::byte *p) {
  uint32_t bits = 0;
  std::memcpy(&bits, p, sizeBytes(type));
  if (type == ElementType::fp16)
    return (bits & 0x7FFF) > 0x7C00;
  if (type == ElementType::bf16)
    return (bits & 0x7FFF) > 0x7F80;
  return type == ElementType::fp32 && (bits & 0x7FFFFFFF) > 0x7F800000;
}

// Replaces every NaN of the stream by the same bit pattern.
void unifyNans(PlainMachine &memories, const Stream &s) {
  forEachOffset(s, [&](uint64_t offset) {
    std::byte *p = elementAt(memories, s, offset);
    if (isNanOf(s.type, p))
      std::memset(p, 0xFF, sizeBytes(s.type));
  });
}

// Runs the prepared operation in several calls, each for a random number of rows.
bool runInPieces(const PreparedOp &op, Random &random) {
  Scratch scratch;
  for (uint64_t begin = 0; begin < op.rows();) {
    const uint64_t end = random.chance(50) ? op.rows() : begin + random.ragged(op.rows() - begin);
    if (op.run(begin, end, scratch))
      return false;
    begin = end;
  }
  return true;
}

int rounds() {
  const char *asked = std::getenv("TILERIG_RANDOM_OPS");
  return asked ? std::atoi(asked) : 1000;
}

template <class T>
void expectEqualMemories(const T &instruction, PlainMachine &expected, PlainMachine &got, int round) {
  forEachStream(instruction, [&](std::string_view, const Stream &s) {
    if (s.present())
      unifyNans(expected, s), unifyNans(got, s);
  });
  for (unsigned t = 0; t < numTiles; ++t)
    ASSERT_TRUE(expected.ocms[t] == got.ocms[t]) << "round " << round << ", tile " << t;
  ASSERT_TRUE(expected.ddr == got.ddr) << "round " << round;
}

const Stream &weightsOf(const Conv &conv) { return conv.weights; }
const Stream &weightsOf(const Matmul &matmul) { return matmul.b; }

// Limits integer weights to a distance from the zero point at which oneDNN is exact on this host.
template <class T>
void narrowWeights(const T &instruction, PlainMachine &memories, Random &random) {
  const Stream &weights = weightsOf(instruction);
  if (weights.type != ElementType::i8 && weights.type != ElementType::u8)
    return;
  const int64_t lowest = weights.type == ElementType::i8 ? -128 : 0,
                zero = instruction.epilogue.weightZeroPoint;
  const bool exact = pod::oneDnnIsExact();
  forEachOffset(weights, [&](uint64_t offset) {
    const int64_t weight = zero + random.between(exact ? -128 : -63, exact ? 127 : 63);
    *elementAt(memories, weights, offset) = static_cast<std::byte>(std::clamp(weight, lowest, lowest + 255));
  });
}

template <class T>
class RandomOps : public testing::Test {};
template <class... Ts>
testing::Types<Ts...> typesOf(InstructionList<Ts...>);
using Types = decltype(typesOf(Joined<DmaInstructions, PodInstructions, PeInstructions>()));
TYPED_TEST_SUITE(RandomOps, Types);
using ProductTypes = decltype(typesOf(PodInstructions()));

TYPED_TEST(RandomOps, AgreeWithThePlainMachine) {
  const Machine machine = smallMachine();
  Random random(7);
  int faults = 0;
  ASSERT_TRUE(chooseVectors());
  for (int round = 0; round < rounds(); ++round) {
    const auto instruction = test::randomOf<TypeParam>(random, {machine, tile, numTiles, 500});
    PlainMachine expected = randomMemories(instruction, machine, random);
    if constexpr (ProductInstruction<TypeParam>)
      if (eightBitKernels() == EightBitKernels::oneDnn && !pod::oneDnnIsExact())
        narrowWeights(instruction, expected, random);
    PlainMachine got = expected;
    bool plainFaults = false;
    try {
      expected.execute(instruction, tile);
    } catch (const PlainMachine::Fault &) {
      plainFaults = true;
    }
    const PlainPlaces places(got, tile, random.chance(50));
    const auto op = prepareOp(instruction, tile, places);
    ASSERT_TRUE(op);
    ASSERT_EQ(runInPieces(*op, random), !plainFaults) << "round " << round;
    ASSERT_TRUE(!plainFaults || mayFault(Instruction(instruction))) << "round " << round;
    faults += plainFaults;
    if (!plainFaults)
      expectEqualMemories(instruction, expected, got, round);
    if (this->HasFatalFailure())
      return;
  }
  EXPECT_LT(faults, rounds() / 2 + 1);
}

// The part of a product that computes `count` outputs from `first` on, as another tile would.
template <class T>
T partOf(const T &whole, uint32_t first, uint32_t count) {
  T part = whole;
  const auto narrow = [&](Stream &stream, unsigned d) {
    if (!stream.present())
      return;
    stream.base += uint64_t{first} * stream.dims[d].stride;
    stream.dims[d] = {count, count == 1 ? 0 : stream.dims[d].stride};
  };
  if constexpr (std::is_same_v<T, Conv>)
    narrow(part.weights, 1);
  else
    narrow(part.b, 3);
  for (Stream *stream : {&part.output, &part.epilogue.accumulateFrom, &part.epilogue.addend})
    narrow(*stream, 4);
  for (Vector *vector : {&part.epilogue.bias, &part.epilogue.scale})
    if (vector->present && !vector->broadcast)
      vector->base += uint64_t{4} * first;
  return part;
}

// Products that are computed together leave what one product with all their outputs would.
template <class T>
class JoinedProducts : public testing::Test {};
TYPED_TEST_SUITE(JoinedProducts, ProductTypes);

TYPED_TEST(JoinedProducts, AgreeWithThePlainMachine) {
  const Machine machine = smallMachine();
  Random random(9);
  int joined = 0;
  ASSERT_TRUE(chooseVectors());
  for (int round = 0; round < 2 * rounds(); ++round) {
    const auto whole = test::randomOf<TypeParam>(random, {machine, tile, numTiles, 500});
    const uint32_t outputs = whole.output.dims[4].size;
    if (outputs < 2)
      continue;
    PlainMachine expected = randomMemories(whole, machine, random);
    if (eightBitKernels() == EightBitKernels::oneDnn && !pod::oneDnnIsExact())
      narrowWeights(whole, expected, random);
    PlainMachine got = expected;
    expected.execute(whole, tile);
    const PlainPlaces places(got, tile, true);
    std::vector<TypeParam> parts;
    std::vector<uint32_t> begins;
    for (uint32_t first = 0; first < outputs; first += parts.back().output.dims[4].size) {
      begins.push_back(first);
      parts.push_back(partOf(whole, first, static_cast<uint32_t>(1 + random.below(outputs - first))));
    }
    std::vector<PlacedProduct> products;
    for (size_t part = 0; part < parts.size(); ++part) {
      const Placed<TypeParam> next{&parts[part], tile, &places};
      if (products.empty() || canJoin(products[0], begins[part], next))
        products.push_back(next);
    }
    // Convolutions with groups are not joined. Weights of single outputs have no stride, which would tell whether they
    // follow one another.
    if (products.size() != parts.size())
      continue;
    joined += parts.size() > 1;
    ASSERT_TRUE(runInPieces(*prepareJoined(products), random));
    expectEqualMemories(whole, expected, got, round);
    if (this->HasFatalFailure())
      return;
  }
  EXPECT_GT(joined, rounds() / 20);
}

// Instructions that oneDNN accepts, computed by oneDNN whatever library the environment chooses for 8-bit
// products.
template <class T>
class RandomOneDnnOps : public testing::Test {};
TYPED_TEST_SUITE(RandomOneDnnOps, ProductTypes);

TYPED_TEST(RandomOneDnnOps, AgreeWithThePlainMachine) {
  const Machine machine = smallMachine();
  Random random(8);
  int taken = 0;
  ASSERT_TRUE(chooseVectors());
  for (int round = 0; round < rounds(); ++round) {
    auto instruction = test::randomOf<TypeParam>(random, {machine, tile, numTiles, 500});
    PlainMachine expected = randomMemories(instruction, machine, random);
    narrowWeights(instruction, expected, random);
    PlainMachine got = expected;
    const PlainPlaces places(got, tile, true);
    const auto op = pod::prepareOneDnn(instruction, tile, places);
    if (!op)
      continue;
    ++taken;
    expected.execute(instruction, tile);
    Scratch scratch;
    ASSERT_FALSE(op->run(0, op->rows(), scratch));
    expectEqualMemories(instruction, expected, got, round);
    if (this->HasFatalFailure())
      return;
  }
  EXPECT_GT(taken, rounds() / 20);
}

} // namespace
} // namespace tilerig
