// Collects what the parts of the analyser find: everything is counted, and of each kind the first few are
// kept.
#pragma once

#include "isa/Analyser/Problem.h"

#include <functional>

namespace tilerig {

class Report {
public:
  explicit Report(size_t keptPerKind) : keptPerKind(keptPerKind) {}

  // Whether one more of that kind would be kept. Who finds many asks before composing the text, and counts
  // the rest.
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
