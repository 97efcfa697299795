// Runs a program in the order of its clock cycles. Instructions that touch the same bytes at the same time
// run beat by beat (one row or slice at a time). Programs that are not proved free of races, and programs on
// broken hardware, need this.
//
// Each run starts with freshly loaded memories, in which only constants are initialised, and passes through
// all stages once (SteppedRun.h). An error of the program is a fault: it ends the run at its instruction, or
// is recorded while the run goes on.
#pragma once

#include "emulator/Beats/SteppedRun.h"

namespace tilerig::emulator {

class BeatsSession {
public:
  // See LoadedMachine::load.
  static Result<std::unique_ptr<BeatsSession>> load(Program program, Defects defects = {},
                                                    const Observation &observation = {},
                                                    Framework *framework = nullptr);

  // Runs the program. Returns an error for inputs that do not fit the program; faults of the program are part
  // of the result. The options apply to this run only.
  Result<BeatsRun> run(const TensorMap &inputs, const BeatsOptions &options = {});

  // The capture points (when and where tensors are captured) and, after a run that reached its end, the
  // captured tensors, with elements as they are stored.
  const CapturePoints &capturePoints() const { return machine->capturePoints; }

  // The program that is run (LoadedMachine::program).
  const Program &program() const { return machine->program; }

private:
  explicit BeatsSession(std::unique_ptr<LoadedMachine> machine) : machine(std::move(machine)) {}

  std::unique_ptr<LoadedMachine> machine;
};

} // namespace tilerig::emulator
