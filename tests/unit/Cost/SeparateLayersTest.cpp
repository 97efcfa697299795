// Tests of the separation of a task list with prefetching loads into one stage per layer.
#include "compiler/Tile/Emit/SeparateLayers.h"

#include "tests/support/RandomTasks.h"

#include <gtest/gtest.h>

namespace tilerig {
using namespace compiler;
namespace {

using test::bytesAt;

Task load(uint32_t layer, uint64_t at) {
  return {0, Load{.layer = layer,
                  .source = bytesAt(Space::ddr, at, 64),
                  .destination = bytesAt(Space::ocm, at, 64)}};
}
Task copy(uint32_t layer, uint64_t at) {
  return {0, Copy{.layer = layer,
                  .input = bytesAt(Space::ocm, at, 64),
                  .output = bytesAt(Space::ocm, at + 4096, 64)}};
}
Task push(uint32_t layer, uint64_t at) {
  return {0, Multicast{.layer = layer,
                       .tiles = 6,
                       .source = bytesAt(Space::ocm, at, 64),
                       .destination = bytesAt(Space::ocm, at, 64)}};
}
ProgramPart partOf(std::vector<Task> tasks) { return {std::move(tasks), std::nullopt}; }
ProgramPart hostPart(uint32_t layer) {
  HostStep host;
  host.layer = layer;
  return {{}, host};
}

// Text form of program parts, separated by bars. "L2" is a load for layer 2, "C2" its computation, "P2" its
// multicast, "H3" a step on the host for layer 3.
std::string textOf(const std::vector<ProgramPart> &parts) {
  std::string text;
  for (const ProgramPart &part : parts) {
    if (part.host)
      text += " H" + std::to_string(part.host->layer);
    for (const Task &task : part.tasks) {
      const bool isPush = std::holds_alternative<Multicast>(task.instruction);
      text += std::holds_alternative<Load>(task.instruction) ? " L" : isPush ? " P" : " C";
      text += std::to_string(layerOf(task.instruction));
    }
    text += " |";
  }
  return text;
}

std::string separated(std::vector<ProgramPart> parts) { return textOf(separateLayers(std::move(parts))); }

TEST(SeparateLayers, TakesLoadsToTheirLayer) {
  EXPECT_EQ(separated({partOf({load(0, 0), load(1, 64), load(2, 128), copy(0, 0), push(0, 0), copy(1, 64),
                               load(2, 192), copy(2, 128)})}),
            " L0 C0 P0 | L1 C1 | L2 L2 C2 |");
}

TEST(SeparateLayers, LeavesStepsOfALayerInTheirOrder) {
  EXPECT_EQ(separated({partOf({load(0, 0), copy(0, 0), load(1, 0), load(0, 64), copy(0, 64), copy(1, 0)})}),
            " L0 C0 L0 C0 | L1 C1 |");
}

TEST(SeparateLayers, KeepsTheHostBetween) {
  EXPECT_EQ(separated({partOf({load(0, 0), load(2, 64), copy(0, 0)}), hostPart(1), partOf({copy(2, 64)})}),
            " L0 C0 | H1 | L2 C2 |");
}

TEST(SeparateLayers, CutsALayerThatOthersInterrupt) {
  EXPECT_EQ(separated({partOf({load(0, 0), load(0, 64), copy(0, 0), copy(1, 0), copy(0, 64)})}),
            " L0 L0 C0 | C1 | C0 |");
}

} // namespace
} // namespace tilerig
