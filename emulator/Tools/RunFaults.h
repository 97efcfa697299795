// What `tilerig run` is told about faults, and what it tells.
#pragma once

#include "emulator/Defects/Defects.h"
#include "emulator/Traps/Fault.h"
#include "isa/Tools/CommandLine.h"

#include <nlohmann/json_fwd.hpp>

namespace tilerig {

struct FaultArguments {
  std::string file; // of broken hardware
  OnFault onFault = OnFault::stop;
};
void addFaultOptions(CLI::App &options, FaultArguments &arguments);

// The broken hardware that is asked for, and none where no file is given. Refuses what a fast run cannot
// have.
Result<Defects> readDefects(const FaultArguments &arguments, const Program &program, bool isTimed);

// Faults as the list of a document, and the first of them as its error, in the form that all commands have.
void addFaults(const std::vector<Fault> &faults, const Program &program, nlohmann::ordered_json &document);
// The same as all that a run has to say.
ExitCode reportFaults(const std::vector<Fault> &faults, const Program &program, bool json);
// On standard error.
void printFaults(const std::vector<Fault> &faults, const Program &program);

} // namespace tilerig
