// The third step: a program on the emulator, with every tensor that it keeps. The program may be the
// compiler's or an altered one: what is not proved runs by the clock, beat by beat.
#pragma once

#include "emulator/Host/Time.h"
#include "isa/Tensor/TensorMap.h"
#include "verify/Check/Finding.h"
#include "verify/Evidence/Circumstances.h"

#include <optional>

namespace tilerig::verify {

struct DeviceOptions {
  unsigned threads = 0;           // of the host; 0: all
  std::optional<uint64_t> jitter; // by the clock: every latency is stretched at random, by this seed
  bool stopsAtFaults = false;     // else they are noted, and the run goes on
  unsigned otherRuns = 0;         // of a program without a proof, with other latencies: what varies?
  std::string faultFile = {};     // JSON: what of the hardware is broken; empty: nothing
};

struct DeviceRun {
  bool ended = false;               // else a fault ended it, and there are no tensors
  std::vector<std::string> faults;  // in words
  std::vector<Finding> traps;       // the emulator's faults, as data
  TensorMap tensors;                // as they are stored, by the model's names
  std::vector<std::string> notKept; // those that the program does not keep whole
  HostOperations hostOperations;    // of a run that ended
  std::string byBeats;              // why it ran by beats; empty where it is proved
};

// Each layer reads what the layers before it made.
Result<DeviceRun> runAccumulated(const Program &program, const TensorMap &inputs,
                                 const DeviceOptions &options);
// Each layer reads what is given, put into the machine's memory in place of what the program computed; the
// program stays what it is. All layers in one run; what they made is what the run has.
Result<DeviceRun> runIsolated(const Program &program, const TensorMap &inputs, const TensorMap &given,
                              const DeviceOptions &options);

// What the analyser has against a program.
struct Objection {
  std::string problem;           // the first one; empty where there is a proof
  Order order;                   // of which kinds there are any
  std::vector<Finding> findings; // all problems that it kept (AnalyserOptions),
  FindingCounts counts;          // and how many there are of each kind
};
// Proves the program anew if it was altered. Where that cannot be, it has no proof.
Objection proveAnew(Program &program);

} // namespace tilerig::verify
