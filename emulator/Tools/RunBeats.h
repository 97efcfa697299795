// `tilerig run --mode timed` for a program that runs beat by beat: one that is not proved free of races, or
// one on broken hardware.
#pragma once

#include "emulator/Beats/BeatsSession.h"

namespace tilerig::emulator {

struct BeatsRequest {
  // Paths of the program and of the files to write; a file with an empty path is not written.
  std::string program, outputs, captureTo, stats, trace;
  std::string why; // reason for running beat by beat (row by row), shown to the user
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
