// Where the commands of a debugging session come from: the terminal, with editing, history and completion of words, or a text.
#pragma once

#include "emulator/Debug/Console/Console.h"

#include <memory>
#include <optional>
#include <string>

namespace tilerig::emulator {

// The interrupt key: once it is caught, it does not end the command, but makes a movement stop.
void catchInterrupts();
bool wasInterrupted();
void clearInterrupt();

class DebugLines {
public:
  virtual ~DebugLines() = default;
  // The next line; none at the end.
  virtual std::optional<std::string> next() = 0;
};

// Lines that the user types; the console must outlive the object.
std::unique_ptr<DebugLines> typedLines(const Console &console);
// The lines of a text, without empty ones and comments, which begin with '#'.
std::unique_ptr<DebugLines> linesOf(const std::string &text);
// The same for standard input.
std::unique_ptr<DebugLines> linesOfInput();

} // namespace tilerig::emulator
