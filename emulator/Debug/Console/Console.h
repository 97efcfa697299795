// The commands of the debugger: takes a line that a user has typed, and returns the text to show. It prints nothing, and only
// the commands that save write files.
#pragma once

#include "emulator/Debug/Console/Words.h"
#include "emulator/Debug/Debugger.h"

namespace tilerig::emulator {

class Console {
public:
  // The debugger must outlive the console.
  explicit Console(Debugger &debugger) : debugger(debugger) {}

  // Carries out a command. A wrong command is an error, and changes nothing. An empty line repeats the last step.
  Result<std::string> execute(const std::string &line);
  bool wantsToQuit() const { return quits; }
  // Whether the last command moved the run.
  const std::optional<Stop> &lastStop() const { return stop; }
  // What the last command found, if it was first-difference.
  const std::optional<FirstDifference> &lastDifference() const { return difference; }
  // The words with which a word can be completed that begins at `at` in the line.
  std::vector<std::string> completionsOf(const std::string &line, size_t at) const;

private:
  struct Command;
  static const std::vector<Command> &commands();
  static const Command *find(const std::string &name);

  Result<std::string> move(Result<Stop> moved);
  Result<std::string> help(Words words);
  Result<std::string> step(Words words, TimeDirection direction);
  Result<std::string> removePoints(Words words);
  Result<std::string> enablePoint(Words words, bool isEnabled);
  Result<std::string> setFocus(Words words);
  // The tensor that the words name, or the part of it that a slice selects, and the name.
  struct ChosenTensor {
    std::string name;
    Tensor tensor;
  };
  Result<ChosenTensor> choose(Words &words) const;
  Result<std::string> print(Words words);
  Result<std::string> saveTensor(Words words);
  Result<std::string> saveMemory(Words words);
  Result<std::string> memory(Words words);
  Result<std::string> whoWrote(Words words);
  Result<std::string> source(Words words);
  Result<std::string> clock(Words words);
  Result<std::string> timeline(Words words);
  Result<std::string> faults(Words words);
  Result<std::optional<uint32_t>> takeOptionalTile(Words &words);

  Debugger &debugger;
  std::optional<ThreadId> focus; // the thread whose instructions `step` counts; none: all
  std::optional<Stop> stop;
  std::optional<FirstDifference> difference;
  std::string lastStep;
  bool quits = false;
};

} // namespace tilerig::emulator
