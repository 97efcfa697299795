// Markers and delays, which depend on nothing, kept beside the tasks that they stand beside in the list.
#pragma once

#include "compiler/Schedule/Task.h"

namespace tilerig {

// Inserts the markers and delays of the list into a sequence that has all its other tasks: in front of the
// next task of their engine in the list, or of their tile if the engine is the sequencer; the end of a layer
// behind the last one before it. Where there is no such task on that side it is the other side, and where
// there is none at all they come last. Several at one place keep the order of the list.
void insertAttached(const TaskList &tasks, std::vector<uint32_t> &sequence);

} // namespace tilerig
