// The analyser: proves that a program does the same in every execution, or says why not.
//
// What it proves and how is told in README.md: every two accesses that conflict are ordered by
// synchronisation, every byte is written before it is read, every stage comes to its end, nothing is written
// that must not be. Programs are straight lines and addresses are written in them, so the answers are exact:
// what is reported can happen, and what is not reported cannot. The proof goes into the program, bound to its
// content and machine; who loads it checks the binding and need not analyse again.
#pragma once

#include "isa/Analyser/Problem.h"

namespace tilerig {

struct AnalyserOptions {
  size_t keptPerKind = 100; // problems of each kind that are kept; all are counted
};

// A POD instruction whose accumulators may overflow 32 bits: not a problem, but it accumulates in 64.
struct WideAccumulator {
  uint32_t stage = 0, tile = 0, instruction = 0;
  auto operator<=>(const WideAccumulator &) const = default;
};

struct AnalyserStatistics {
  uint64_t instructions = 0, accesses = 0;
  uint64_t syncEdges = 0;     // syncs and waits that need the end of another step
  uint64_t capacityEdges = 0; // instructions that may have to wait for a place in a queue
  uint64_t barriers = 0;      // comings of tiles to barriers
  bool operator==(const AnalyserStatistics &) const = default;
};

struct Analysis {
  std::vector<Problem> problems;                  // by stage and kind of check, the first few of each kind
  std::array<uint64_t, numProblemKinds> counts{}; // of all, by ProblemKind
  // Ascending. All integer POD instructions if there is any problem, since bounds of values assume that there
  // is none.
  std::vector<WideAccumulator> wide;
  AnalyserStatistics statistics;
  // How many stages were looked at as a whole: a stage that does not end leaves out those after it, and a
  // program with illegal instructions is not looked at further.
  uint32_t analysedStages = 0;

  bool proved() const { return problems.empty(); }
  uint64_t count(ProblemKind kind) const { return counts[static_cast<size_t>(kind)]; }
};

Analysis analyse(const Program &program, const AnalyserOptions &options = {});

// Analyses the program and, if there is no problem, writes the proof into it. Otherwise the program is left
// without one and the error names the first problem.
Status prove(Program &program);
// The same, of an analysis of this very program that somebody has already.
Status prove(Program &program, const Analysis &analysis);
// Whether the program carries a proof of this analyser about just this content on just this machine.
bool proofHolds(const Program &program);

// Synchronisation that orders nothing which the rest does not order already, of a program that has no
// deadlock. Order that follows from full queues does not count here, because it changes when instructions are
// removed. All that is listed can be left out together; then `pending` of syncs and values of waits have to
// be adapted.
struct RedundantSyncs {
  std::vector<Place> syncs, waits;
  std::vector<Place> signals; // those that no other wait needs
};
RedundantSyncs redundantSyncs(const Program &program);

} // namespace tilerig
