// Modes of the scheduler that its tests iterate over, and the check of the resulting program.
#pragma once

#include "compiler/Planning/Schedule/Schedule.h"
#include "isa/Analyser/Analyser.h"

#include <array>
#include <string>

namespace tilerig::test {
using namespace compiler;

constexpr std::array allModes = {OrderMode::listed, OrderMode::interleaved, OrderMode::reordered};
constexpr std::array allSharings = {TransferSharing::roundRobin, TransferSharing::firstCome};

// Description of the first problem that the analyser finds; empty if it proves the program free of races.
inline std::string firstProblem(const Program &program) {
  const Analysis analysis = analyse(program);
  return analysis.proved() ? "" : describe(analysis.problems[0], program);
}

} // namespace tilerig::test
