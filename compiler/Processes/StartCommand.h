// Starts another tilerig command and waits for it. The compiler is not linked with the reference or the
// emulator. To use their results it runs their programs, which are installed beside its own.
#pragma once

#include "isa/Base/Support/Error.h"

#include <string>
#include <vector>

namespace tilerig::compiler {

// Runs a command, and returns the JSON document that it prints, also if it has found a mismatch. If the command reports an error, this
// function returns the same error; its terminal output is not shown.
Result<std::string> startCommand(const std::string &program, std::vector<std::string> arguments);

// Path of "tilerig-NAME" in the folder of the running program.
std::string programBeside(const std::string &name);

} // namespace tilerig::compiler
