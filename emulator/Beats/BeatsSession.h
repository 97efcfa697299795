// Runs a program in the order of its clock cycles. Instructions that touch the same bytes at the same time
// run beat by beat (one row or slice at a time). Programs that are not proved free of races, and programs on
// broken hardware, need this.
//
// The timeline is computed first (isa/Timeline/Timeline.h); values are then computed in its order
// (ValueReplay.h). Each run starts with freshly loaded memories, in which only constants are initialised, and
// passes through all stages once. An error of the program is a fault: it ends the run at its instruction, or
// is recorded while the run goes on.
#pragma once

#include "emulator/Beats/ValueReplay.h"
#include "emulator/Host/Framework.h"
#include "emulator/Observe/CapturePoints.h"
#include "emulator/Observe/Observation.h"
#include "emulator/Observe/Replace.h"
#include "isa/Base/Tensor/TensorMap.h"

namespace tilerig::emulator {

struct BeatsOptions {
  DelayAmounts delays = {};
  std::optional<uint64_t> jitter = {};
  OnFault onFault = OnFault::stop;
  // Whether to run every instruction beat by beat (row by row), even without simultaneous accesses.
  bool everyBeat = false;
};

// Result of running one stage.
struct TimedStage {
  uint32_t index = 0;
  uint64_t begin = 0, end = 0;
  // Number of arithmetic operations that the host performed in a host stage, if this number depends on data
  // values; else empty.
  std::optional<uint64_t> hostOperations = {};
  // Only for device stages: the cost of every instruction, and the timeline that results from these costs.
  std::optional<StageCosts> costs = {};
  std::optional<Timeline> timeline = {};
};

struct BeatsRun {
  bool ended = false;        // whether the program reached its end, with or without faults
  std::vector<Fault> faults; // faults of the program that the run found, in order of time
  // outputs of the program; complete only if the run reached the program's end
  TensorMap outputs;
  std::vector<TimedStage> stages; // results of all stages that the run has begun
  uint64_t cycles = 0;
};

class BeatsSession {
public:
  // The program need not be proved free of races, but every instruction must be legal; the program reader
  // checks that.
  // `framework` runs framework stages and must outlive the session; without it such programs are refused.
  static Result<std::unique_ptr<BeatsSession>> load(Program program, Defects defects = {},
                                                    const Observation &observation = {},
                                                    Framework *framework = nullptr);

  // Runs the program. Returns an error for inputs that do not fit the program; faults of the program are part
  // of the result. The options apply to this run only.
  Result<BeatsRun> run(const TensorMap &inputs, const BeatsOptions &options = {});

  // The capture points (when and where tensors are captured) and, after a run that reached its end, the
  // captured tensors, with elements as they are stored.
  const CapturePoints &capturePoints() const { return seen; }

  // The program that is run. It equals the loaded program, but transfers that a simulated defect misroutes go
  // to wrong tiles.
  const Program &program() const { return loaded; }

private:
  BeatsSession(Program program, Defects defects, Framework *framework);
  Status prepare(const Observation &observation);
  void restoreConstants();
  bool runDevice(TimedStage &stage, const BeatsOptions &options, ValueReplay &replay, FaultLog &log) const;
  Result<bool> runHost(TimedStage &stage, Initialised &initialised, FaultLog &log);
  void putPattern(const proto::Tensor &tensor, const Initialised &initialised);
  Result<bool> collectOutputs(Initialised &initialised, FaultLog &log, BeatsRun &run);

  Program loaded;
  Defects defects;
  Framework *framework;
  Memories memories;
  CapturePoints seen;
  std::vector<Replacement> replacements;
  // Constants in which bits get flipped: their index in the program and their original contents.
  std::vector<std::pair<size_t, ConstantData>> intact;
};

} // namespace tilerig::emulator
