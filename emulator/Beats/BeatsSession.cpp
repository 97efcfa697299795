#include "emulator/Beats/BeatsSession.h"

namespace tilerig::emulator {

Result<std::unique_ptr<BeatsSession>>
BeatsSession::load(Program program, Defects defects, const Observation &observation, Framework *framework) {
  TILERIG_TRY(auto machine,
              LoadedMachine::load(std::move(program), std::move(defects), observation, framework));
  return std::unique_ptr<BeatsSession>(new BeatsSession(std::move(machine)));
}

Result<BeatsRun> BeatsSession::run(const TensorMap &inputs, const BeatsOptions &options) {
  SteppedRun run(*machine, inputs, options, false);
  while (!run.isOver())
    TILERIG_CHECK_OK(run.step());
  return std::move(run).takeResults();
}

} // namespace tilerig::emulator
