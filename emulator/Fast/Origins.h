// Operands that may be read elsewhere, and copies that then nobody needs.
//
// Much of what a program moves are copies: weights go from the constants to many tiles, parts of a layer's
// output to all that compute the next one. Literally made, they would cost as much as the arithmetic. A
// reader whose operand is a copy of constants, lying as it lies there, may read the constants; one whose
// operand is the same in other tiles may read the lowest of them; and a transfer to where nobody reads any
// more need not be carried out. No bit can tell.
//
// What is known of values is carried along as the analyser does it (isa/Analyser/Values.h), through the tasks
// in their order. Inferences repeat, so the inference stages are gone through twice: what holds in both holds
// always, since the second begins as every later one does. A reader of another tile's memory must come after
// what it reads was written there, and have ended before it is overwritten, neither of which the program need
// have seen to: such orders come as further edges, and they follow the order of the tasks, so there is never
// a circle.
#pragma once

#include "emulator/Fast/Mirrors.h"
#include "emulator/Fast/Observers.h"

namespace tilerig {

// An operand that is read at `distance` from where the instruction says, in `memory`.
struct Origin {
  std::string_view operand;
  MemoryId memory = ddrMemory;
  int64_t distance = 0;
  bool isConstant = false;
  bool operator==(const Origin &) const = default;
};

struct StageOrigins {
  std::vector<std::vector<Origin>> reads; // by task: the operands that are read elsewhere
  // By task: the tiles in which somebody needs what it writes; of one that writes DDR or is no transfer, any.
  std::vector<TileSet> needed;
  std::vector<std::pair<uint32_t, uint32_t>> edges; // further orders of tasks
  // By task: what a POD instruction multiplies the weights with. Equal numbers are the same bytes, with
  // nothing written in between.
  static constexpr uint32_t noInput = UINT32_MAX;
  std::vector<uint32_t> inputs;
};

// By stage; host stages have none. `tasks` are those of tasksOfStage(), by stage, and so are `observers`:
// what is looked at is needed, and what is changed is a copy of nothing.
std::vector<StageOrigins> findOrigins(const Program &program, const std::vector<StageTasks> &tasks,
                                      const std::vector<StageObservers> &observers);
// Everything as the program says.
std::vector<StageOrigins> literalOrigins(const std::vector<StageTasks> &tasks);

} // namespace tilerig
