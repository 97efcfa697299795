// Networks larger than DDR are refused before and after planning, and the error names the largest tensors.
#include "compiler/Tile/Plan/DdrCapacity.h"
#include "compiler/Tile/Emit/AssembleProgram.h"
#include "tests/support/SmallDeviceNetwork.h"

#include <gtest/gtest.h>

namespace tilerig {
using namespace compiler;
namespace {

Machine withDdr(uint64_t bytes) {
  Machine machine = *loadMachine("tiny");
  machine.ddr.sizeBytes = bytes;
  return machine;
}

void expectRefused(const Status &status, const std::string &words) {
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::unsupported);
  EXPECT_NE(status.error().message().find(words), std::string::npos) << status.error().message();
}

TEST(DdrCapacity, InputsAndOutputsCountBeforeAnythingIsPlanned) {
  const Images images(false);
  const DeviceNetwork &network = images.network;
  uint64_t bytes = 0;
  for (const TensorIndex index : {network.inputs[0], network.outputs[0]})
    bytes += network.tensors[index].sizeInBytes();
  EXPECT_TRUE(checkLeastDdr(network, withDdr(bytes)));
  expectRefused(checkLeastDdr(network, withDdr(bytes - 1)),
                "the network: needs at least " + std::to_string(bytes) +
                    " bytes of DDR, but machine 'tiny' has " + std::to_string(bytes - 1));
  expectRefused(checkLeastDdr(network, withDdr(bytes - 1)), "input 'x' (18432 bytes)");
}

TEST(DdrCapacity, SizesThatOverflowAreLargerThanAnyMachine) {
  Images images(false);
  images.network.tensors[images.network.inputs[0]].shape = {int64_t{1} << 40, int64_t{1} << 40};
  expectRefused(checkLeastDdr(images.network, *loadMachine("tr64")), "needs more than 2^64 bytes");
}

TEST(DdrCapacity, ConstantsCountOnceTheyArePlaced) {
  const Images images(false);
  const auto program = generateProgram(images.network, *loadMachine("tiny"), {.tiles = 4});
  ASSERT_TRUE(program) << program.error().message();
  const ConstantData &constants = program->program.constants.front();
  const uint64_t end = constants.address + constants.bytes.size();
  EXPECT_TRUE(generateProgram(images.network, withDdr(end), {.tiles = 4}));
  const auto refused = generateProgram(images.network, withDdr(constants.address), {.tiles = 4});
  ASSERT_FALSE(refused);
  expectRefused(refused.error(), "the largest are the constants");
}

} // namespace
} // namespace tilerig
