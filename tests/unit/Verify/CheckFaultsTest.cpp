// Tests of the check on programs with one fault made by hand: it is found in its layer. Later layers inherit
// it if they read the wrong tensor, and are right if they are given the correct one.
#include "tests/unit/Verify/CheckedNetwork.h"

#include <cstring>

namespace tilerig::verify::test {
namespace {

struct HandMade {
  const char *name;
  // Changes a convolution of the program; returns false if there is nothing to change.
  bool (*change)(Program &program, Conv &conv, uint32_t tile);
};

// The DDR address of the constants that a transfer of the layer loads to the address `base` of the tile;
// empty if there is no such transfer.
std::optional<uint64_t> ddrSourceOf(const Program &program, const Conv &conv, uint32_t tile, uint64_t base) {
  for (const Stage &stage : program.stages)
    if (const auto *device = std::get_if<DeviceStage>(&stage.work))
      for (const Instruction &instruction : device->tiles[tile])
        if (const auto *load = std::get_if<Load>(&instruction);
            load && load->layer == conv.layer && load->source.space == Space::ddr &&
            load->destination.base <= base &&
            base <
                load->destination.base + load->destination.dims[4].size * sizeBytes(load->destination.type))
          return load->source.base + (base - load->destination.base);
  return {};
}

// Changes constants of the program. Changes a copy of them, because the program shares its constants with the
// compiled program from which it was copied.
bool changeConstants(Program &program, uint64_t address, size_t bytes, void (*change)(std::byte *, size_t)) {
  for (ConstantData &data : program.constants)
    if (data.address <= address && address + bytes <= data.address + data.bytes.size()) {
      const auto copy = std::make_shared<std::vector<std::byte>>(data.bytes.begin(), data.bytes.end());
      change(copy->data() + (address - data.address), bytes);
      data.bytes = *copy;
      data.owner = copy;
      return true;
    }
  return false;
}

bool changeVector(Program &program, const Conv &conv, uint32_t tile, uint64_t base, size_t bytes,
                  void (*change)(std::byte *, size_t)) {
  const auto address = ddrSourceOf(program, conv, tile, base);
  return address && changeConstants(program, *address, bytes, change);
}

const HandMade faults[] = {
    {"pad",
     [](Program &, Conv &conv, uint32_t) {
       if (conv.window.padLeft == 0)
         return false;
       --conv.window.padLeft;
       return true;
     }},
    {"bias",
     [](Program &, Conv &conv, uint32_t) {
       const bool had = conv.epilogue.bias.present;
       conv.epilogue.bias = {};
       return had;
     }},
    {"coefficient",
     [](Program &program, Conv &conv, uint32_t tile) {
       const auto bytes = conv.weights.dims[1].size * conv.weights.dims[2].size * conv.weights.dims[3].size;
       return changeVector(program, conv, tile, conv.weights.base, bytes,
                           [](std::byte *at, size_t count) { std::reverse(at, at + count); });
     }},
    {"clip",
     [](Program &, Conv &conv, uint32_t) {
       conv.epilogue.finish.clampHigh = static_cast<int16_t>(conv.epilogue.finish.clampLow + 8);
       return true;
     }},
    {"sign",
     [](Program &, Conv &conv, uint32_t) {
       conv.input.type = ElementType::u8;
       conv.epilogue.inputZeroPoint = static_cast<int16_t>(conv.epilogue.inputZeroPoint & 0xFF);
       return true;
     }},
    {"scale",
     [](Program &program, Conv &conv, uint32_t tile) {
       const size_t count = conv.epilogue.scale.broadcast ? 1 : conv.output.dims[4].size;
       return changeVector(program, conv, tile, conv.epilogue.scale.base, count * sizeof(float),
                           [](std::byte *at, size_t bytes) {
                             for (size_t i = 0; i < bytes; i += sizeof(float)) {
                               float scale;
                               std::memcpy(&scale, at + i, sizeof scale);
                               scale *= 2;
                               std::memcpy(at + i, &scale, sizeof scale);
                             }
                           });
     }},
};

const Check &check() {
  static const Check squeezeNetCheck =
      checkOf(sourceOf("squeezenet", zooNetwork("squeezenet", 48, true)), "int8", 4);
  return squeezeNetCheck;
}

class Faults : public testing::TestWithParam<HandMade> {};

// The second layer with a padded convolution, which has some layers before it and many after it.
uint32_t layerToBreak(const Program &program) {
  std::set<uint32_t> layers;
  for (const Stage &stage : program.stages)
    if (const auto *device = std::get_if<DeviceStage>(&stage.work))
      for (const auto &tile : device->tiles)
        for (const Instruction &instruction : tile)
          if (const auto *conv = std::get_if<Conv>(&instruction); conv && conv->window.padLeft > 0)
            layers.insert(conv->layer);
  return *std::next(layers.begin());
}

// Changes all convolutions of a layer; returns false if there was nothing to change.
bool inject(const HandMade &fault, uint32_t layer, Program &program) {
  bool changed = false;
  for (Stage &stage : program.stages)
    if (auto *device = std::get_if<DeviceStage>(&stage.work))
      for (uint32_t tile = 0; tile < device->tiles.size(); ++tile)
        for (Instruction &instruction : device->tiles[tile])
          if (auto *conv = std::get_if<Conv>(&instruction); conv && conv->layer == layer)
            changed |= fault.change(program, *conv, tile);
  return changed;
}

void expectFound(const std::map<std::string, CheckedTensor> &tensors, const Program &program,
                 uint32_t broken) {
  size_t inherited = 0, matching = 0;
  for (const auto &[name, tensor] : tensors) {
    SCOPED_TRACE(name + ": " + tensor.comparison.reason);
    const auto &placements = program.metadata.tensors();
    const bool isBroken = std::ranges::find(placements, name, &proto::Tensor::name)->layer() == broken;
    ASSERT_TRUE(tensor.isolated);
    EXPECT_EQ(tensor.isolated->different > 0, isBroken);
    if (isBroken) {
      EXPECT_EQ(tensor.comparison.status, TensorStatus::mismatch);
      EXPECT_GT(tensor.comparison.different, 0u);
    } else {
      EXPECT_NE(tensor.comparison.status, TensorStatus::mismatch);
      inherited += tensor.comparison.status == TensorStatus::inherited;
      matching += tensor.comparison.status == TensorStatus::match;
    }
  }
  EXPECT_GT(inherited, 5u);
  EXPECT_GE(matching, 2u);
}

TEST_P(Faults, AreFoundInTheirLayer) {
  Program program = check().program();
  const uint32_t broken = layerToBreak(program);
  ASSERT_TRUE(inject(GetParam(), broken, program));
  expectFound(judged(check(), program), program, broken);
}

INSTANTIATE_TEST_SUITE_P(ByHand, Faults, testing::ValuesIn(faults),
                         [](const auto &info) { return info.param.name; });

// Adds a signal without a wait. It changes no result, but the analyser reports the count that is left over,
// so it does not prove the program free of races.
void leaveASignal(Program &program) {
  for (Stage &stage : program.stages)
    if (auto *device = std::get_if<DeviceStage>(&stage.work)) {
      auto &instructions = device->tiles[0];
      instructions.insert(std::prev(instructions.end()),
                          Signal{.engine = Engine::pe, .semaphore = 63, .amount = 1});
      return;
    }
}

// Programs that are not proved free of races run in the emulator's slow mode, in order of time. Faults are
// found there as well, also if each layer gets correct inputs.
TEST(FaultsWithoutAProof, AreFoundLikewise) {
  Program program = check().program();
  leaveASignal(program);
  const std::string reason = "the program has no proof that it is free of races";
  const auto right = judged(check(), program, reason);
  for (const auto &[name, tensor] : right)
    EXPECT_EQ(tensor.comparison.status, TensorStatus::match) << name;
  const uint32_t broken = layerToBreak(program);
  ASSERT_TRUE(inject(faults[1], broken, program));
  expectFound(judged(check(), program, reason), program, broken);
}

} // namespace
} // namespace tilerig::verify::test
