// What is known about a run of a program before it begins: the tasks of its stages and their order (SyncGraph.h), and
// which copies need not be made (Origins.h). Both depend on the program alone. A compiler computes them once and stores
// them in the program file, so that a run can begin at once.
#pragma once

#include "isa/RunPlan/Origins.h"

namespace tilerig {

// The task graph of each stage already contains the extra edges that copy elimination needs, so StageOrigins::edges is
// empty. Host stages have no tasks.
struct RunPlan {
  std::vector<StageTasks> tasks;
  std::vector<StageOrigins> origins;
};

// The tasks of each stage, without the edges that its origins need. The program must be proved free of races.
std::vector<StageTasks> tasksOfStages(const Program &program);
// Finds the origins for these tasks and adds their edges to the graphs.
RunPlan planRun(const Program &program, std::vector<StageTasks> tasks,
                const std::vector<std::vector<ObservedBytes>> &observed);
// The plan of a run that nothing observes.
RunPlan planRun(const Program &program);

// Makes the plan of a program that is proved free of races, and stores it in the program, unless it is stored already.
void storeRunPlan(Program &program);
// prove() and storeRunPlan(), at the same time: the plan is made before it is known whether there is a proof, and thrown
// away if there is none. The program must obey the rules of Program/Verify.h.
Status proveAndPlanRun(Program &program);
// The stored plan; nullopt if there is none, or if it was made for other contents than the proof. The caller checks that
// the proof holds (proofHolds()). An error if the bytes are not a plan of this program.
Result<std::optional<RunPlan>> storedRunPlan(const Program &program);

} // namespace tilerig
