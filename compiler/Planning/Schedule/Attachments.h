// Placement of markers (instructions that tell an observer where a program is) and delays in a reordered task
// sequence. Markers and delays depend on nothing, so each is kept beside the task that it stands next to in
// the list.
#pragma once

#include "compiler/Planning/Schedule/Task.h"

namespace tilerig::compiler {

// Inserts the markers and delays of the list into a sequence of all other tasks. Each goes in front of the
// next task of its engine in the list, or of its tile if its engine is the sequencer; the marker of a layer's
// end goes behind the last such task before it. If there is no such task on that side in the list, the task
// on the other side is used; if there is none at all, the marker or delay goes to the end. Markers and delays
// at one place keep their order.
void insertAttached(const TaskList &tasks, std::vector<uint32_t> &sequence);

} // namespace tilerig::compiler
