// The least cut of a graph: nodes fall to a source or to a sink, and every edge from the source's side to the
// sink's costs what it weighs. Found as the greatest flow (Dinic, 1970).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilerig {

class LeastCut {
public:
  static constexpr size_t source = 0, sink = 1;
  // More than all edges together may weigh: such an edge is never cut.
  static constexpr int64_t never = INT64_MAX / 4;

  LeastCut() : edgesOf(2) {}
  size_t addNode();
  void addEdge(size_t from, size_t to, int64_t weight);
  // The weight of the least cut. Of all such cuts the one with the fewest nodes on the source's side is
  // taken.
  int64_t solve();
  bool isOnSourceSide(size_t node) const { return level[node] >= 0; }

private:
  struct Edge {
    size_t to;
    int64_t room;
  };

  bool findLevels();
  int64_t push(size_t node, int64_t most);

  // An edge and its reverse lie side by side: i and i ^ 1.
  std::vector<Edge> edges;
  std::vector<std::vector<size_t>> edgesOf;
  std::vector<int64_t> level;
  std::vector<size_t> next; // edges of a node before that are exhausted
};

} // namespace tilerig
