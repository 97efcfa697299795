// What fast mode runs of a stage: instructions that compute or move, and which of them must have ended
// before which others begin, as the program's synchronisation says.
//
// The steps of the stage (see isa/Analyser/Threads.h) are gone through once, in an order that their needs
// allow. Of every moment it is kept after which tasks it comes, for each thread the last one: that implies
// all before it, because the tasks of a thread run one after another. Control instructions so vanish; only
// where a moment comes after many tasks, as behind a barrier, an empty task stands for it, lest everyone who
// passes have an edge from everyone who came.
//
// A transfer is one task: nothing that conflicts with its reading can come between that and its writing.
#pragma once

#include "emulator/Fast/TaskGraph.h"
#include "isa/Analyser/Threads.h"

namespace tilerig {

// Where an instruction stands.
struct InstructionPlace {
  uint32_t stage = 0, tile = 0, index = 0;
};

struct StageTasks {
  static constexpr uint32_t emptyTask = UINT32_MAX; // as `index`
  std::vector<InstructionPlace> places;             // by task
  TaskGraph graph;
};

// The program is proved.
StageTasks tasksOfStage(const Program &program, uint32_t stage);

} // namespace tilerig
