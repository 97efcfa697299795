// A session with the debugger: takes lines, and shows what the console answers.
#pragma once

#include "emulator/Tools/DebugLines.h"
#include "isa/Base/Support/Json.h"

namespace tilerig::emulator {

class DebugSession {
public:
  // With `json`, nothing is printed, and `document` has the answers.
  DebugSession(Debugger &debugger, bool json) : debugger(debugger), ownConsole(debugger), json(json) {}

  void show(const std::string &text) const;
  // Takes all lines. Lines that the user does not type are shown, too.
  void takeAll(DebugLines &lines, bool isTyped);
  const Console &console() const { return ownConsole; }
  bool isOver() const { return ownConsole.wantsToQuit(); }
  // Of commands that the user did not type: the first wrong one decides, or an element that differs from the expected one.
  ExitCode code() const { return exitCode; }
  Json document = Json::array();

private:
  void take(const std::string &line, bool isTyped);

  Debugger &debugger;
  Console ownConsole;
  const bool json;
  ExitCode exitCode = ExitCode::done;
};

} // namespace tilerig::emulator
