// Third step of a check: runs a program on the emulator and captures every tensor that it keeps. The program
// is the compiler's or an altered one.
//
// A program that is not proved free of races is run in small steps, in order of time, so that races show. In
// each step an instruction processes one row or slice of its data.
#pragma once

#include "emulator/Host/Time.h"
#include "isa/Base/Tensor/TensorMap.h"
#include "verify/Evidence/Circumstances.h"
#include "verify/Findings/Finding.h"

#include <optional>

namespace tilerig::verify {

struct DeviceOptions {
  unsigned threads = 0; // number of host threads; 0: all
  // seed by which all latencies are lengthened at random; empty: they are not lengthened
  std::optional<uint64_t> jitter;
  bool stopsAtFaults = false; // whether a run ends at its first fault
  // number of additional runs, with other latencies, if the program is not proved free of races
  unsigned otherRuns = 0;
  std::string faultFile = {}; // JSON description of broken hardware; empty: the hardware is intact
};

struct DeviceRun {
  bool ended = false;              // whether the run reached its end; a run that a fault ended has no tensors
  std::vector<std::string> faults; // messages of the faults that occurred
  std::vector<Finding> traps;      // the faults of the run, each with the instructions that caused it
  TensorMap tensors;               // captured tensors in their stored types, by name
  std::vector<std::string> notKept;        // names of tensors of which the program keeps no complete copy
  emulator::HostOperations hostOperations; // number of operations of each host stage, if the run ended
  std::string byBeats; // why instructions ran row by row, which is slow; empty if they did not
};

// Runs the program so that each layer reads what the layers before it computed.
Result<DeviceRun> runAccumulated(const Program &program, const TensorMap &inputs,
                                 const DeviceOptions &options);
// Runs the program so that each layer reads `replacements` in place of the tensors that the program computed.
// They are written into the machine's memory; the program is not changed. A single run computes the results
// of all layers from these inputs.
Result<DeviceRun> runIsolated(const Program &program, const TensorMap &inputs, const TensorMap &replacements,
                              const DeviceOptions &options);

// Runs the program with `replacements` in place of tensors that it computed; captures show the replacements, too.
Result<DeviceRun> runReplaced(const Program &program, const TensorMap &inputs, const TensorMap &replacements,
                              const DeviceOptions &options);

// The result of the analyser on a program: the problems that it found.
struct Objection {
  std::string problem; // message of the first problem; empty if the program is proved free of races
  Order order;         // which kinds of ordering problems, such as races and deadlocks, the program has
  // Descriptions of the problems that the analyser found, a limited number of each kind.
  std::vector<Finding> findings;
  FindingCounts counts; // number of problems that the analyser found, by kind
};
// Runs the analyser on an altered program. If the analyser proves the program free of races, the proof is
// attached to it; otherwise the result names the problems.
Objection proveAnew(Program &program);

} // namespace tilerig::verify
