// Collects the problems that the parts of the analyser find: all are counted, and the first few of each kind
// are stored.
#pragma once

#include "isa/Order/Problem.h"

#include <functional>

namespace tilerig {

class Report {
public:
  explicit Report(size_t keptPerKind) : keptPerKind(keptPerKind) {}

  // Whether another problem of that kind would be stored. A caller that finds many problems checks this
  // before it formats a text, and otherwise calls countOnly().
  bool keeps(ProblemKind kind) const { return counts[static_cast<size_t>(kind)] < keptPerKind; }
  void add(Problem problem) {
    if (keeps(problem.kind))
      problems.push_back(std::move(problem));
    ++counts[static_cast<size_t>(problem.kind)];
  }
  void countOnly(ProblemKind kind) { ++counts[static_cast<size_t>(kind)]; }

  std::vector<Problem> problems;
  std::array<uint64_t, numProblemKinds> counts{};

private:
  size_t keptPerKind;
};

} // namespace tilerig
