// What `tilerig debug` debugs: a program, its inputs, and the tensors that it should compute.
#pragma once

#include "emulator/Debug/Debugger.h"
#include "emulator/Tools/RunFaults.h"

namespace tilerig::emulator {

struct DebugArguments {
  std::string program, inputs, expected;
  uint64_t seed = 0, history = 0;
  std::optional<uint64_t> jitter;
  bool rows = false;
  FaultArguments faults;
};

Result<std::unique_ptr<Debugger>> loadDebugger(const DebugArguments &arguments, Framework &framework,
                                               std::function<bool()> isInterrupted);

// Reads the expected tensors. Returns a line that says how many of the program's tensors are compared.
Result<std::string> readExpected(const DebugArguments &arguments, Debugger &debugger);

} // namespace tilerig::emulator
