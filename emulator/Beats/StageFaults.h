// What is wrong with a stage's synchronisation, as far as a run sees it: it gets stuck, or it ends and
// semaphores have something left.
#pragma once

#include "emulator/Traps/Fault.h"
#include "isa/Analyser/Report.h"
#include "isa/Timeline/Timeline.h"

namespace tilerig {

// Semaphores and barriers of a stage, and what the analyser has to say about them.
struct MatchedStage {
  StageThreads threads;
  std::vector<Problem> problems;
};

// Faults at the end of the timeline. Of a stage that gets stuck: who waits for whom, and what for; the reason
// is a wait that no signal satisfies, a barrier to which a tile does not come, or a circle.
std::vector<Fault> stageFaults(const Program &program, const MatchedStage &stage, const Timeline &timeline);
bool isStuck(const StageThreads &threads, const Timeline &timeline);

} // namespace tilerig
