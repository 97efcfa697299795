// Placement of markers (instructions that tell an observer where a program is) and delays in a reordered task
// sequence. Markers and delays depend on nothing, so each is kept beside the task that it stands next to in
// the list.
#pragma once

#include "compiler/Planning/Schedule/Task.h"

namespace tilerig::compiler {

// Inserts the markers and delays of the list into a sequence of all other tasks. A marker or delay is placed
// in front of the task of its engine that follows it in the list (for the sequencer: a task of any engine of
// the tile). The marker of a layer's end is placed behind the task that precedes it. Markers and delays at
// one place keep their order.
void insertAttached(const TaskList &tasks, std::vector<uint32_t> &sequence);

} // namespace tilerig::compiler
