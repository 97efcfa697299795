// Runs a program to its end and keeps what it said: for tests that look at commands from outside, as users
// do.
#pragma once

#include <string>
#include <vector>

namespace tilerig::test {

struct Outcome {
  int exitCode = -1; // 128 + signal where a signal ended it, as shells count
  std::string output, errors;
};

// The first word is the program, looked up on PATH unless it holds a slash. Standard input is empty; `output`
// names the file that standard output goes to instead of being kept.
Outcome runProgram(const std::vector<std::string> &words, const std::string &output = {});

// The folder of the commands of this build, "…/bin".
std::string commandFolder();

} // namespace tilerig::test
