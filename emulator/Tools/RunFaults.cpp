#include "emulator/Tools/RunFaults.h"

#include "emulator/Defects/DefectFile.h"
#include "isa/Base/Support/Json.h"
#include "isa/Base/Support/Printable.h"

#include <fmt/core.h>
#include <iostream>

namespace tilerig::emulator {

void addFaultOptions(CommandOptions &options, FaultArguments &arguments, const std::string &need) {
  options.addOption("--fault", arguments.file,
                    "simulate broken hardware, as a fault file describes it "
                    "(.json)");
  addChoice<OnFault>(options, "--on-fault", arguments.onFault,
                     {{"stop", OnFault::stop}, {"continue", OnFault::continueRun}},
                     "what to do when the program faults: stop ends the run; continue" + need +
                         " reports the fault and goes on, with uninitialised bytes read as 0xA5");
}

Result<Defects> readDefects(const FaultArguments &arguments, const Program &program, bool isTimed) {
  if (arguments.onFault == OnFault::continueRun && !isTimed)
    return usageError("--on-fault", "a run can continue after a fault only in timed mode",
                      "add --mode timed");
  if (arguments.file.empty())
    return Defects();
  TILERIG_TRY(Defects defects, readDefects(arguments.file, program));
  if (defects.needTime() && !isTimed)
    return usageError("--fault",
                      "flipped bits, lost signals, delayed transfers and wrong destinations can be simulated "
                      "only in timed mode",
                      "add --mode timed");
  return defects;
}

void addFaults(const std::vector<Fault> &faults, const Program &program, nlohmann::ordered_json &document) {
  document["faults"] = nlohmann::ordered_json::array();
  for (const Fault &fault : faults)
    document["faults"].push_back(toJson(fault, program));
  if (faults.empty())
    return;
  const Error error = errorOf(faults[0], program);
  document["error"] = {
      {"kind", "invalidInput"}, {"place", error.place}, {"what", error.what}, {"remedy", error.remedy}};
}

ExitCode reportFaults(const std::vector<Fault> &faults, const Program &program, bool json) {
  nlohmann::ordered_json document;
  addFaults(faults, program, document);
  if (json)
    std::cout << document.dump(2) << "\n";
  else
    printFaults(faults, program);
  return ExitCode::input;
}

void printFaults(const std::vector<Fault> &faults, const Program &program) {
  for (const Fault &fault : faults)
    std::cerr << fmt::format("tilerig run: {}\n", printable(describe(fault, program)));
}

} // namespace tilerig::emulator
