// Options of `tilerig run` about faults, and the report of faults.
#pragma once

#include "emulator/Defects/Defects.h"
#include "emulator/Traps/Fault.h"
#include "isa/Base/CommandLine/CommandLine.h"

#include <nlohmann/json_fwd.hpp>

namespace tilerig::emulator {

struct FaultArguments {
  std::string file; // fault file that describes hardware defects; may be empty
  OnFault onFault = OnFault::stop;
};
// `need` says in the help what --on-fault continue needs, such as ", which needs --mode timed,".
void addFaultOptions(CommandOptions &options, FaultArguments &arguments, const std::string &need);

// The defects of the fault file, empty if no file is given. Returns an error for defects that fast mode does
// not support.
Result<Defects> readDefects(const FaultArguments &arguments, const Program &program, bool isTimed);

// Adds the list of faults to a JSON document, and the first fault as the document's error, in the form that
// all commands use.
void addFaults(const std::vector<Fault> &faults, const Program &program, nlohmann::ordered_json &document);
// Reports faults as the only output of a run. Returns the exit code of the command.
ExitCode reportFaults(const std::vector<Fault> &faults, const Program &program, bool json);
// Prints the faults of a run on standard error.
void printFaults(const std::vector<Fault> &faults, const Program &program);

} // namespace tilerig::emulator
