// Starts another tilerig command and waits for it. The compiler links neither reference nor emulator; to use
// their results it runs their programs, which are installed beside its own.
#pragma once

#include "isa/Base/Support/Error.h"

#include <string>
#include <vector>

namespace tilerig::compiler {

// Returns the JSON document that the command prints, as text. An error of the command is returned as the
// error of this function; its terminal output is not shown.
Result<std::string> startCommand(const std::string &program, std::vector<std::string> arguments);

// Path of "tilerig-NAME" in the folder of the running program.
std::string programBeside(const std::string &name);

} // namespace tilerig::compiler
