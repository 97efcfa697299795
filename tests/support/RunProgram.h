// Runs a program to its end and captures its output, for tests of commands from the outside, as users run
// them.
#pragma once

#include <string>
#include <vector>

namespace tilerig::test {

struct Outcome {
  int exitCode = -1; // exit code; as in shells, 128 + signal if a signal ended the run
  std::string output, errors;
};

// Runs a command. The first word is the program, looked up on PATH unless it contains a slash. Standard input
// is empty. If `output` names a file, standard output is written there instead of being captured.
Outcome runProgram(const std::vector<std::string> &words, const std::string &output = {});

// The folder "…/bin" with the commands of this build.
std::string commandFolder();

} // namespace tilerig::test
