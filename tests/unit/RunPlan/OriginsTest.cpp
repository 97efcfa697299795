// Tests of an optimisation of the emulator: data that a tile has sent to another tile are read from the
// sender's memory instead of the receiver's copy. The read must come after the data were written in the
// sender, and before they are overwritten there.
#include "isa/RunPlan/Origins.h"
#include "isa/Analyser/Analyser.h"
#include "tests/unit/Emulator/AssembledRun.h"

#include <algorithm>
#include <fmt/core.h>

namespace tilerig::test {
using namespace emulator;
namespace {

// Each of two tiles computes one half of a tensor and sends it to the other tile; then both read the whole
// tensor. Tile 1 waits for the other half and for a third tile, but not for its own send, so its half may
// still be on the way to tile 0.
std::string exchange() {
  const auto half = [](const std::string &own, const std::string &other, const std::string &wait) {
    return ".tile " + own + "\n load source=i32 ddr[0x1000+64*" + own +
           "] <16> destination=i32 ocm[0x100] <16>" + "\n sync engine=pe on=dma_in" +
           "\n activate finish={function=neg} input=i32 ocm[0x100] <16> output=i32 ocm[64*" + own + "] <16>" +
           "\n sync engine=dma_out on=pe" + "\n multicast tiles={" + other + "} source=i32 ocm[64*" + own +
           "] <16> destination=i32 ocm[64*" + own + "] <16>" + "\n signal engine=dma_out tile=" + other +
           " semaphore=0" + //
           "\n wait engine=pe semaphore=0" + wait +
           "\n activate finish={function=neg} input=i32 ocm[0x0] <32> output=i32 ocm[0x200] <32>" +
           "\n sync engine=dma_out on=pe" +
           "\n store source=i32 ocm[0x200] <32> destination=i32 ddr[0x3000+128*" + own + "] <32>" +
           "\n halt\n";
  };
  return ".machine tiny\n.tiles 3\n.input \"x\" int32 [2, 16] ddr[0x1000]\n"
         ".output \"y\" int32 [2, 32] ddr[0x3000]\n.stage \"main\" inference\n" +
         half("0", "1", "") + half("1", "0", "\n wait engine=pe semaphore=1") +
         ".tile 2\n fill output=i32 ocm[0x0] <16>\n signal engine=pe tile=1 semaphore=1\n halt\n";
}

// The task of the tile's instruction of type T for which matches(instruction) is true.
template <class T>
uint32_t taskOf(const StageTasks &tasks, const DeviceStage &stage, unsigned tile, auto matches) {
  for (uint32_t task = 0; task < tasks.places.size(); ++task) {
    const InstructionPlace &place = tasks.places[task];
    if (place.index == StageTasks::emptyTask || place.tile != tile)
      continue;
    if (const auto *instruction = std::get_if<T>(&stage.tiles[tile][place.index]);
        instruction && matches(*instruction))
      return task;
  }
  ADD_FAILURE() << "there is no such task";
  return 0;
}

TEST(Origins, BytesReadInAnotherTileAreWrittenBefore) {
  Program program = assembled(exchange()).program;
  ASSERT_TRUE(prove(program));
  const auto &stage = std::get<DeviceStage>(program.stages[0].work);
  const std::vector<StageTasks> tasks = {tasksOfStage(program, 0)};
  const StageOrigins origins = findOrigins(program, tasks, {{}})[0];
  const uint32_t reader = taskOf<Activate>(
      tasks[0], stage, 1, [](const Activate &instruction) { return instruction.output.base == 0x200; });
  const uint32_t sender = taskOf<Multicast>(tasks[0], stage, 1, [](const Multicast &) { return true; });
  ASSERT_EQ(origins.reads[reader].size(), 1u) << "it reads its own tile: this test tests nothing";
  EXPECT_EQ(origins.reads[reader][0].memory, ocmOf(0));
  EXPECT_TRUE(std::ranges::find(origins.edges, std::pair{sender, reader}) != origins.edges.end());
}

// Tile 0 sends its data to tile 1, which reads its copy eight times, while eight fills overwrite the data in
// tile 0. If the emulator reads the data in tile 0 instead of the copy, it must order each fill after these
// reads.
std::string overwrittenInPieces() {
  std::string text =
      ".machine tiny\n.tiles 3\n.input \"x\" int32 [16] ddr[0x1000]\n"
      ".output \"y\" int32 [8, 16] ddr[0x3000]\n.stage \"main\" inference\n.tile 0\n"
      " load source=i32 ddr[0x1000] <16> destination=i32 ocm[0x100] <16>\n sync engine=dma_out on=dma_in\n"
      " multicast tiles={1} source=i32 ocm[0x100] <16> destination=i32 ocm[0x100] <16>\n"
      " signal engine=dma_out tile=1 semaphore=0\n sync engine=pe on=dma_out\n"
      " wait engine=pe semaphore=1\n";
  for (int piece = 0; piece < 8; ++piece)
    text += fmt::format(" fill output=i32 ocm[{}] <2>\n", 0x100 + 8 * piece);
  text += " halt\n.tile 1\n wait engine=pe semaphore=0\n";
  for (int reader = 0; reader < 8; ++reader)
    text +=
        fmt::format(" activate finish={{function=neg}} input=i32 ocm[0x100] <16> output=i32 ocm[{}] <16>\n",
                    0x200 + 64 * reader);
  return text + " sync engine=dma_out on=pe\n store source=i32 ocm[0x200] <128> destination=i32 ddr[0x3000] "
                "<128>\n halt\n"
                ".tile 2\n fill output=i32 ocm[0x0] <16>\n signal engine=pe tile=0 semaphore=1\n halt\n";
}

// Tasks of one engine run in order, so a task that overwrites data needs a dependency only on the engine's
// last reader of the data. With dependencies on all readers, a program of a million instructions would have a
// hundred million dependencies.
TEST(Origins, OrdersNameOnlyTheLastReader) {
  Program program = assembled(overwrittenInPieces()).program;
  ASSERT_TRUE(prove(program));
  const auto &stage = std::get<DeviceStage>(program.stages[0].work);
  const std::vector<StageTasks> tasks = {tasksOfStage(program, 0)};
  const StageOrigins origins = findOrigins(program, tasks, {{}})[0];
  const auto reader = [&](unsigned number) {
    return taskOf<Activate>(tasks[0], stage, 1, [&](const Activate &instruction) {
      return instruction.output.base == 0x200 + 64 * number;
    });
  };
  ASSERT_EQ(origins.reads[reader(7)].size(), 1u) << "it reads its own tile: this test tests nothing";
  for (unsigned piece = 0; piece < 8; ++piece) {
    const uint32_t fill = taskOf<Fill>(tasks[0], stage, 0, [&](const Fill &instruction) {
      return instruction.output.base == 0x100 + 8 * piece;
    });
    std::vector<uint32_t> before;
    for (const auto &[earlier, later] : origins.edges)
      if (later == fill)
        before.push_back(earlier);
    EXPECT_EQ(before, std::vector{reader(7)}) << piece;
  }
}

} // namespace
} // namespace tilerig::test
