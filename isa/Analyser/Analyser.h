// The analyser: proves that a program computes the same bits in every execution, or reports why it may not.
//
// README.md explains what is proved and how: every two conflicting accesses are ordered by synchronisation,
// every byte is written before it is read, every stage terminates, and constants are never overwritten.
// Programs are straight-line code with fixed addresses, so the results are exact: every reported problem can
// happen, and a problem that is not reported cannot. The proof is stored in the program and bound to its
// content and machine; a loader checks this binding and need not analyse the program again.
#pragma once

#include "isa/Order/Problem.h"

namespace tilerig {

// Options of analyse().
struct AnalyserOptions {
  // Maximum number of problems of each kind that an analysis stores; further problems are only counted.
  size_t keptPerKind = 100;
};

// An integer instruction of the POD (matrix engine) whose 32-bit accumulators may overflow. This is no error:
// the accumulators then wrap, and the emulator counts those that do.
struct WideAccumulator {
  uint32_t stage = 0, tile = 0, instruction = 0;
  auto operator<=>(const WideAccumulator &) const = default;
};

// The size of an analysis: numbers of the instructions, memory accesses and synchronisations that were
// examined.
struct AnalyserStatistics {
  uint64_t instructions = 0, accesses = 0;
  uint64_t syncEdges = 0;     // number of syncs and waits that wait for another instruction
  uint64_t capacityEdges = 0; // number of instructions that may have to wait for space in a queue
  uint64_t barriers = 0;      // number of arrivals of tiles at barriers
  bool operator==(const AnalyserStatistics &) const = default;
};

// The result of analyse(): the problems of a program. If there are none, the program is proved to have the
// properties that README.md lists.
struct Analysis {
  // Problems of the program, sorted by stage, then by check; only the first of each kind are stored.
  std::vector<Problem> problems;
  // Number of all problems of each kind, stored or not, indexed by ProblemKind.
  std::array<uint64_t, numProblemKinds> counts{};
  // Instructions of the POD (matrix engine) whose 32-bit accumulators may overflow, ascending. If there is
  // any problem, all integer instructions of the POD are listed, because bounds of values hold only for a
  // program without problems.
  std::vector<WideAccumulator> wide;
  AnalyserStatistics statistics;
  // Number of stages that were analysed completely. Analysis stops after a stage that does not terminate, and
  // does not start for a program with illegal instructions.
  uint32_t analysedStages = 0;

  // Whether the program has no problem, so that all properties that the analyser checks are proved.
  bool proved() const { return problems.empty(); }
  // The number of problems of a kind that the program has, also of those that are not stored.
  uint64_t count(ProblemKind kind) const { return counts[static_cast<size_t>(kind)]; }
};

// Finds the problems of a program, such as races and deadlocks; does not change the program.
Analysis analyse(const Program &program, const AnalyserOptions &options = {});

// Analyses the program and, if there is no problem, stores in it the proof that every execution computes the
// same bits. Otherwise the program has no proof afterwards, and the error names the first problem.
Status prove(Program &program);
// Like prove(Program &), but uses `analysis`, which must be the result of analyse() for exactly this program.
Status prove(Program &program, const Analysis &analysis);
// Whether the program carries a proof, by this version of the analyser and for its present content and
// machine, that every execution computes the same bits.
bool proofHolds(const Program &program);

// Synchronisation that can be removed from a deadlock-free program because the remaining synchronisation
// implies the same order. Order that follows from full queues does not count, because it changes when
// instructions are removed. All listed instructions can be removed together, if the counts in the remaining
// syncs and waits are adapted.
struct RedundantSyncs {
  std::vector<Place> syncs, waits;
  std::vector<Place> signals; // signal instructions that no remaining wait needs
};
// Finds the redundant synchronisation of a deadlock-free program.
RedundantSyncs redundantSyncs(const Program &program);

} // namespace tilerig
