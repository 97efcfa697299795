// Starts another command of tilerig and waits for it. The compiler links neither reference nor emulator:
// where it wants their numbers it asks their commands, whose program stands beside its own.
#pragma once

#include "isa/Support/Error.h"

#include <string>
#include <vector>

namespace tilerig {

// The JSON document that the command prints, as text. An error of the command is this function's; what the
// command would say on a terminal is not shown.
Result<std::string> startCommand(const std::string &program, std::vector<std::string> arguments);

// "…/tilerig-NAME" in the folder of the running program.
std::string programBeside(const std::string &name);

} // namespace tilerig
