// Properties of every latency: never below the lower bound, increasing with every size, never overflowing;
// and the cost of control instructions.

#include "isa/Timing/Latency.h"
#include "isa/Timing/Count.h"
#include "isa/Timing/Dma.h"
#include "isa/Timing/LowerBound.h"
#include "tests/unit/Timing/Shapes.h"

#include <gtest/gtest.h>

using namespace tilerig;

namespace {

std::vector<Machine> machines() {
  std::vector<Machine> result;
  for (const std::string &name : builtInMachines())
    result.push_back(*loadMachine(name));
  Machine odd = result[0]; // a machine with numbers unlike those of the built-in ones
  odd.network.linkBytesPerCycle = 24;
  odd.pod.int8 = {12, 20, 3};
  odd.pod.operandRegisterBytes = 1000;
  odd.pod.accumulatorBytes = 3000;
  odd.pod.fillCycles = 7;
  odd.ddr.granuleBytes = 128;
  odd.tile.ocmAccessBytes = 8;
  odd.tile.ocmRowBytes = 32;
  odd.pe.bytesPerCycle = 48;
  EXPECT_TRUE(verifyMachine(odd, ""));
  result.push_back(odd);
  return result;
}

template <class Check>
void forRandomSamples(unsigned rounds, Check &&check) {
  for (const Machine &machine : machines()) {
    std::mt19937_64 random(7);
    for (unsigned round = 0; round < rounds; ++round)
      for (const Sample &sample : randomSamples(random, machine)) {
        auto tile = static_cast<unsigned>(random() % machine.network.tiles);
        check(sample, machine, tile);
        if (testing::Test::HasFailure()) {
          std::string sizes;
          for (uint32_t size : sample.sizes)
            sizes += " " + std::to_string(size);
          FAIL() << mnemonicOf(sample.instruction()) << " on " << machine.name << " with sizes" << sizes;
        }
      }
  }
}

TEST(Latency, isNeverBelowTheBound) {
  uint64_t samples = 0, bounded = 0;
  forRandomSamples(3'000, [&](const Sample &sample, const Machine &machine, unsigned tile) {
    ++samples;
    Instruction instruction = sample.instruction();
    uint64_t bound = lowerBoundCycles(instruction, machine);
    EXPECT_GE(latencyCycles(instruction, machine, tile), bound);
    bounded += bound > 0;
  });
  EXPECT_EQ(bounded, samples);
  EXPECT_GT(samples, 0u);
}

TEST(LowerBound, isTheBusiestOfArithmeticAndWays) {
  auto bound = [](const Instruction &instruction) { return lowerBoundCycles(instruction, tr64()); };
  // Arithmetic limits these products: at most 1024 MACs a cycle in i8, half of this in fp16.
  EXPECT_EQ(bound(matmulOf(ElementType::i8, Mapping::lamm, 100, 100, 1000)), 9766u);
  EXPECT_EQ(bound(matmulOf(ElementType::fp16, Mapping::lamm, 100, 100, 1000)), 19532u);
  EXPECT_EQ(bound(matmulOf(ElementType::fp32, Mapping::lamm, 100, 100, 1000)), 156'250u);
  // The bandwidth at which weights are read limits this product.
  EXPECT_EQ(bound(matmulOf(ElementType::i8, Mapping::lamm, 1, 100, 1000)), 1563u);
  Matmul repeated = matmulOf(ElementType::i8, Mapping::lamm, 1, 100, 1000);
  repeated.b.dims[3].stride = 0;
  EXPECT_EQ(bound(repeated), 98u); // arithmetic limits the product: a single row of weights is read
  EXPECT_EQ(
      bound(convOf(ElementType::i8,
                   {.rows = 7, .columns = 7, .outputs = 8, .channels = 512, .kernelH = 3, .kernelW = 3})),
      1764u);
  Stream far = dense(ElementType::fp16, {1, 1, 1, 1, 3200}, Space::ddr),
         own = dense(ElementType::fp16, {1, 1, 1, 1, 3200});
  EXPECT_EQ(bound(Load{.source = far, .destination = own}), 100u);
  EXPECT_EQ(lowerBoundCycles(Load{.source = far, .destination = own}, *loadMachine("tiny")), 250u);
  EXPECT_EQ(bound(Binary{.a = own, .b = own, .output = own}), 200u);
  EXPECT_EQ(bound(Fill{.output = own}), 100u);
  EXPECT_EQ(bound(GlobalBarrier()), 0u);
}

TEST(Latency, growsWithEverySize) {
  forRandomSamples(1'000, [](const Sample &sample, const Machine &machine, unsigned tile) {
    uint64_t before = latencyCycles(sample.instruction(), machine, tile);
    for (size_t i = 0; i < sample.sizes.size(); ++i)
      for (uint32_t more : {1u, 13u, sample.sizes[i]}) {
        std::vector<uint32_t> sizes = sample.sizes;
        sizes[i] += more;
        EXPECT_GE(latencyCycles(sample.build(sizes), machine, tile), before)
            << "size " << i << " plus " << more;
      }
  });
}

// No phase of a transfer sends more than the bandwidth of its shared resources allows.
TEST(Latency, transfersSendNothingFasterThanTheirWays) {
  forRandomSamples(500, [](const Sample &sample, const Machine &machine, unsigned tile) {
    std::visit(
        [&](const auto &instruction) {
          if constexpr (requires { transferOf(instruction, machine, tile); }) {
            Transfer transfer = transferOf(instruction, machine, tile);
            for (const TransferPhase &phase : {transfer.read, transfer.write}) {
              EXPECT_GE(phase.streamCycles * machine.ddr.portBytesPerCycle, phase.ddrBytes);
              EXPECT_GE(phase.streamCycles * machine.ddr.totalBytesPer1000Cycles, phase.ddrBytes * 1000);
              EXPECT_GE(phase.streamCycles * machine.network.tilePortBytesPerCycle, phase.networkBytes);
              if (phase.links.size() > 0) {
                EXPECT_GE(phase.streamCycles * machine.network.linkBytesPerCycle, phase.networkBytes);
              }
              EXPECT_GE(transfer.cycles(), phase.cycles());
              EXPECT_EQ(phase.ddrPorts != 0, phase.ddrBytes != 0);
            }
            EXPECT_EQ(transfer.cycles(), latencyCycles(instruction, machine, tile));
          }
        },
        sample.instruction());
  });
}

// Sets every size and stride to the largest value of its field.
struct Largest {
  template <class T>
  void operator()(const FieldPath &path, const T &field, auto &member, unsigned) const {
    bool size = path.name == "size" || path.name == "stride" || path.name == "groups" ||
                path.name == "kernel_h" || path.name == "kernel_w";
    if (size)
      member = static_cast<std::remove_reference_t<decltype(member)>>(field.high);
    else if (path.name == "space")
      member = static_cast<std::remove_reference_t<decltype(member)>>(1);
  }
};

TEST(Latency, theLargestSizesDoNotOverflow) {
  forEachInstructionType([]<class T>() {
    T instruction;
    forEachField(instruction, Largest());
    uint64_t cycles = latencyCycles(instruction, tr64(), 0);
    EXPECT_LE(cycles, 2 * Count::most) << T::mnemonic;
    if constexpr (!ControlInstruction<T>) {
      EXPECT_GE(cycles, Count::most / 64) << T::mnemonic;
    }
    EXPECT_GE(cycles, lowerBoundCycles(instruction, tr64())) << T::mnemonic;
  });
}

TEST(Latency, ofControl) {
  const Machine &machine = tr64();
  EXPECT_EQ(latencyCycles(Halt(), machine, 0), 0u);
  EXPECT_EQ(latencyCycles(Wait(), machine, 0), 0u);
  EXPECT_EQ(latencyCycles(Marker(), machine, 0), 0u);
  EXPECT_EQ(latencyCycles(Delay{.cycles = 17}, machine, 0), 17u);
  EXPECT_EQ(latencyCycles(Sync(), machine, 0), 4u);
  EXPECT_EQ(latencyCycles(Signal{.tile = 5}, machine, 5), 8u);
  EXPECT_EQ(latencyCycles(Signal{.tile = 63}, machine, 0), 8 + 6 * 4u);
  EXPECT_EQ(latencyCycles(GroupBarrier{.tiles = 0xF}, machine, 0), 40u);
  EXPECT_EQ(latencyCycles(GroupBarrier{.tiles = ~uint64_t{0}}, machine, 0), 40 + 4 * 4u);
  EXPECT_EQ(latencyCycles(GlobalBarrier(), machine, 0), 120u);
}

TEST(Count, saturates) {
  EXPECT_EQ((Count(UINT64_MAX)).get(), Count::most);
  EXPECT_EQ((Count(Count::most) + 1).get(), Count::most);
  EXPECT_EQ((Count(Count::most - 1) + 1).get(), Count::most);
  EXPECT_EQ((Count(uint64_t{1} << 32) * (uint64_t{1} << 32)).get(), Count::most);
  EXPECT_EQ((Count(uint64_t{1} << 30) * (uint64_t{1} << 29)).get(), uint64_t{1} << 59);
  EXPECT_EQ(ceilDiv(Count::most, 1).get(), Count::most);
  EXPECT_EQ(ceilDiv(0, 7).get(), 0u);
  EXPECT_EQ(ceilDiv(8, 7).get(), 2u);
  EXPECT_EQ(roundUp(8, 7).get(), 14u);
  EXPECT_EQ(roundDown(13, 7).get(), 7u);
}

} // namespace
