// `tilerig run --mode timed` of a program that goes by beats: one without a proof, or on broken hardware.
#pragma once

#include "emulator/Beats/BeatsSession.h"

namespace tilerig {

struct BeatsRequest {
  std::string program, outputs, captureTo, stats, trace; // paths; empty: not wanted
  std::string why;                                       // it goes by beats, for the reader
  unsigned repeat = 1;
  BeatsOptions options;
  Observation observation;
  bool dequantise = false; // what is captured
  bool json = false;
};

// Done, or `input` where the program has faults.
Result<ExitCode> runByBeats(Program program, Defects defects, const TensorMap &inputs,
                            const BeatsRequest &request);

} // namespace tilerig
