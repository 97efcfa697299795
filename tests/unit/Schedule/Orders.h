// What every test of schedules goes through, and asks of the program.
#pragma once

#include "compiler/Schedule/Schedule.h"
#include "isa/Analyser/Analyser.h"

#include <array>
#include <string>

namespace tilerig::test {

constexpr std::array allModes = {OrderMode::listed, OrderMode::interleaved, OrderMode::reordered};
constexpr std::array allSharings = {TransferSharing::byTurns, TransferSharing::firstCome};

// Empty where the analyser proves it.
inline std::string firstProblem(const Program &program) {
  const Analysis analysis = analyse(program);
  return analysis.proved() ? "" : describe(analysis.problems[0], program);
}

} // namespace tilerig::test
