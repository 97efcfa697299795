// Which products of a task graph are run as one operation.
#include "emulator/Fast/JointTasks.h"
#include "tests/unit/Emulator/PlainPlaces.h"

#include <gtest/gtest.h>

namespace tilerig {
using namespace emulator;
namespace {

using test::PlainMachine;
using test::PlainPlaces;

Stream stream(ElementType type, uint64_t base, std::array<Dimension, 5> dims) {
  return {.space = Space::ocm, .type = type, .base = base, .dims = dims};
}

// Four pixels of eight channels, multiplied by `outputs` rows of weights that lie `pitch` bytes apart.
Conv convAt(uint64_t weights, uint32_t outputs, uint64_t output, uint32_t pitch = 8) {
  Conv conv;
  conv.input = stream(ElementType::i8, 0, {{{1, 0}, {1, 0}, {2, 16}, {2, 8}, {8, 1}}});
  conv.weights = stream(ElementType::i8, weights,
                        {{{1, 0}, {outputs, outputs > 1 ? pitch : 0}, {1, 0}, {1, 0}, {8, 1}}});
  conv.output =
      stream(ElementType::i32, output,
             {{{1, 0}, {1, 0}, {2, 2 * 4 * outputs}, {2, 4 * outputs}, {outputs, outputs > 1 ? 4u : 0}}});
  return conv;
}

class JoinsTasks : public testing::Test {
protected:
  // For each task, the one whose operation computes it. Task t is convs[t]; later tasks of the graph are none.
  std::vector<uint32_t> leaders(const std::vector<Conv> &convs,
                                const std::vector<std::vector<uint32_t>> &predecessors) {
    return findJointTasks(TaskGraph::from(predecessors),
                          [&](uint32_t task) -> std::optional<PlacedProduct> {
                            if (task >= convs.size())
                              return {};
                            return Placed<Conv>{&convs[task], 0, &places};
                          })
        .leaders;
  }
  using Leaders = std::vector<uint32_t>;

  PlainMachine machine{1, 1 << 14, 1 << 14};
  PlainPlaces places{machine, 0, true};
};

TEST_F(JoinsTasks, WithNeighbouringWeights) {
  const std::vector<Conv> convs = {convAt(0x100, 3, 0x1000), convAt(0x118, 1, 0x1100),
                                   convAt(0x120, 2, 0x1200)};
  EXPECT_EQ(leaders(convs, {{}, {}, {}}), (Leaders{0, 0, 0}));
  EXPECT_EQ(leaders({convs[0], convs[2]}, {{}, {}}), (Leaders{0, 1})) << "a gap";
}

TEST_F(JoinsTasks, OfTheSameRankOnly) {
  const std::vector<Conv> convs = {convAt(0x100, 2, 0x1000), convAt(0x110, 2, 0x1100)};
  EXPECT_EQ(leaders(convs, {{}, {0}}), (Leaders{0, 1}));
  EXPECT_EQ(leaders(convs, {{}, {2}, {0}}), (Leaders{0, 1, 2}))
      << "a path through a capture, which has a higher number";
  EXPECT_EQ(leaders(convs, {{2}, {2}, {}}), (Leaders{0, 0, 2}));
}

TEST_F(JoinsTasks, IfTheDistanceOfWeightsIsKnownAndTheSame) {
  // The first has a single output, so its weights have no distance.
  EXPECT_EQ(leaders({convAt(0x100, 1, 0x1000), convAt(0x108, 2, 0x1100)}, {{}, {}}), (Leaders{0, 1}));
  EXPECT_EQ(leaders({convAt(0x100, 2, 0x1000), convAt(0x110, 2, 0x1100, 16)}, {{}, {}}), (Leaders{0, 1}));
  EXPECT_EQ(
      leaders({convAt(0x100, 1, 0x1000), convAt(0x100, 1, 0x1100), convAt(0x110, 2, 0x1200)}, {{}, {}, {}}),
      (Leaders{0, 1, 2}));
}

TEST_F(JoinsTasks, ThatDifferOnlyInTheirOutputs) {
  const Conv first = convAt(0x100, 2, 0x1000), second = convAt(0x110, 2, 0x1100);
  const auto isJoined = [&](auto change) {
    Conv other = second;
    change(other);
    return leaders({first, other}, {{}, {}})[1] == 0;
  };
  EXPECT_TRUE(isJoined([](Conv &) {}));
  EXPECT_FALSE(isJoined([](Conv &conv) { conv.input.base = 8; }));
  EXPECT_FALSE(isJoined([](Conv &conv) { conv.window.padTop = 1; }));
  EXPECT_FALSE(isJoined([](Conv &conv) { conv.epilogue.inputZeroPoint = 1; }));
  EXPECT_FALSE(isJoined([](Conv &conv) { conv.epilogue.finish.alpha = -0.0f; })) << "the sign of a zero";
  EXPECT_FALSE(isJoined([](Conv &conv) { conv.epilogue.table = {true, false, 0x800}; }));
  EXPECT_FALSE(isJoined([](Conv &conv) { conv.output.dims[2].size = 1; }));
  EXPECT_TRUE(isJoined([](Conv &conv) { conv.output.base = 0x2000; }));
}

TEST_F(JoinsTasks, WithConstantWeightsOnly) {
  const PlainPlaces computed(machine, 0, false);
  const std::vector<Conv> convs = {convAt(0x100, 2, 0x1000), convAt(0x110, 2, 0x1100)};
  EXPECT_FALSE(canJoin(Placed<Conv>{&convs[0], 0, &computed}, 2, Placed<Conv>{&convs[1], 0, &computed}));
  EXPECT_TRUE(canJoin(Placed<Conv>{&convs[0], 0, &places}, 2, Placed<Conv>{&convs[1], 0, &places}));
}

} // namespace
} // namespace tilerig
