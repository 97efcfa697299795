// Copy elimination for fast mode: operands that may be read from another place with the same bytes, and
// transfers that become unnecessary then.
//
// Most data that a program moves are copies: weights go from the constants to many tiles, and parts of a
// layer's output to all tiles that compute the next layer. Executed literally, these copies would cost as
// much as the arithmetic. An operand that is a copy of constants with the same layout may be read from the
// constants; an operand that is equal in several tiles may be read in the lowest of them; and a transfer
// whose destination no task reads any more need not be executed. No result bit changes.
//
// Knowledge about values is propagated through the tasks in order, as the analyser does it
// (isa/Analyser/Values.h). Every byte that an inference reads was written by the same inference or by the initial
// stages, since the analyser proves that the first inference reads no uninitialised bytes. So what holds in one
// inference holds in all, except where an inference overwrites what the initial stages have written: then the
// inference stages are walked twice, and what holds in both passes holds in every inference. A task that reads its data in another tile's memory must run after they were written there and
// before they are overwritten. Edges of the task graph ensure this order.
#pragma once

#include "isa/RunPlan/Mirrors.h"
#include "isa/RunPlan/SyncGraph.h"

namespace tilerig {

// An operand that is read at another place than the instruction states: in `memory`, `distance` bytes from
// the stated address.
struct Origin {
  std::string_view operand;
  MemoryId memory = ddrMemory;
  int64_t distance = 0;
  bool isConstant = false;
  bool operator==(const Origin &) const = default;
};

struct StageOrigins {
  // For each task, the operands that are read from another place than the program says.
  std::vector<std::vector<Origin>> reads;
  // For each task, a set of bits: the tiles in whose on-chip memory other tasks read the data that this task
  // writes. If the set is empty, the task need not be executed. All bits are set if the data are read in DDR,
  // or if the task does more than move data.
  std::vector<TileSet> needed;
  // Additional edges of the task graph, each from a task to one that must run after it.
  std::vector<std::pair<uint32_t, uint32_t>> edges;
  // For each task that is an instruction of the POD (matrix engine), an id of the activations that it
  // multiplies by weights; for other tasks, noInput. Tasks with equal ids read the same bytes, which are not
  // overwritten in between.
  static constexpr uint32_t noInput = UINT32_MAX;
  std::vector<uint32_t> inputs;
};

// Bytes that are read or replaced by something other than the program's instructions: captures of tensors, and
// values that a caller gives in place of computed ones.
struct ObservedBytes {
  enum Kind : uint8_t {
    captured,
    replaced,
    copied, // captured before they are replaced
  } kind = captured;
  // The task after which this happens. If there is none: before all tasks of a device stage, or after a host stage.
  std::optional<uint32_t> after;
  MemoryId memory = ddrMemory;
  std::vector<Region> regions;
};

// Returns one element for each stage, which is empty for a host stage. `tasks` (from tasksOfStage()) and `observed`
// have one element for each stage, too. Bytes that are captured count as read. Bytes whose values are replaced do not
// count as copies of other bytes.
std::vector<StageOrigins> findOrigins(const Program &program, const std::vector<StageTasks> &tasks,
                                      const std::vector<std::vector<ObservedBytes>> &observed);
// Returns origins for runs without copy elimination: every operand is read, and every copy made, as the
// program says.
std::vector<StageOrigins> literalOrigins(const std::vector<StageTasks> &tasks);

} // namespace tilerig
