// `tilerig run --mode timed` for a program that runs beat by beat: one that is not proved free of races, or
// one on broken hardware.
#pragma once

#include "emulator/Beats/BeatsSession.h"

namespace tilerig::emulator {

struct BeatsRequest {
  // Paths of files; an output with an empty path is not written.
  std::string program, outputs, captureTo, stats, trace;
  std::string why; // reason for running beat by beat, shown to the user
  unsigned repeat = 1;
  BeatsOptions options;
  Observation observation;
  // Element types in which captured tensors are written to the file.
  InModelTypes captureTypes = InModelTypes::outputs;
  bool json = false;
};

// Runs the program and prints the results. Returns ExitCode::input if the run found faults.
Result<ExitCode> runByBeats(Program program, Defects defects, const TensorMap &inputs,
                            const BeatsRequest &request);

} // namespace tilerig::emulator
