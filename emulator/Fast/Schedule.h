// What fast mode runs of a stage: works, and which of them must end before which others begin.
//
// The analyser has proved that every two accesses that conflict are ordered by synchronisation. So taking
// the instructions one by one, in any order that the synchronisation allows, shows which of them depend on
// which others: on the writer of what they read, and on all who read or wrote what they overwrite. These
// dependences alone are kept. The program's own synchronisation orders more than that (a barrier makes
// everybody wait for everybody), and the host need not wait where the machine must.
#pragma once

#include "isa/Analyser/IntervalIndex.h"
#include "isa/Instructions/Access.h"
#include "isa/Program/Program.h"

#include <vector>

namespace tilerig {

// Where an instruction stands.
struct InstructionPlace {
  uint32_t stage = 0, tile = 0, index = 0;
};

// Instructions of a stage that compute or move, in an order that the synchronisation allows. The program is
// proved.
std::vector<InstructionPlace> orderOfStage(const Program &program, uint32_t stage);

// A directed graph without cycles over nodes 0 .. n-1, whose edges lead from lower to higher numbers.
struct TaskGraph {
  std::vector<uint32_t> firstSuccessor; // n + 1 indices into `successors`
  std::vector<uint32_t> successors;
  std::vector<uint32_t> numPredecessors;

  uint32_t size() const { return static_cast<uint32_t>(numPredecessors.size()); }
};

// Builds a graph from accesses that come in order.
class GraphBuilder {
public:
  explicit GraphBuilder(unsigned tiles) : memories(tiles + 1) {}

  // The next node; its accesses.
  void add(const AccessList &accesses);
  TaskGraph finish();

private:
  struct Live {
    uint32_t node;
    bool write;
    Region region;
  };
  std::vector<IntervalIndex<Live>> memories;
  std::vector<std::vector<uint32_t>> predecessors;
};

} // namespace tilerig
