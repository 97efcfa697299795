// Minimum s-t cut of a directed graph with edge weights, found as a maximum flow (Dinic, 1970).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilerig::compiler {

class LeastCut {
public:
  static constexpr size_t source = 0, sink = 1;
  // An edge weight larger than the sum of all others: such an edge is never cut.
  static constexpr int64_t never = INT64_MAX / 4;

  LeastCut() : edgesOf(2) {}
  size_t addNode();
  void addEdge(size_t from, size_t to, int64_t weight);
  // Returns the weight of the minimum cut. Among several minimum cuts it finds the one with the fewest nodes
  // on the source's side.
  int64_t solve();
  bool isOnSourceSide(size_t node) const { return level[node] >= 0; }

private:
  struct Edge {
    size_t to;
    int64_t capacity; // units of flow that the edge of the graph can still carry
  };

  bool findLevels();
  int64_t push(size_t node, int64_t most);

  // Each edge is stored next to its reverse: the reverse of edge i is edge i ^ 1.
  std::vector<Edge> edges;
  std::vector<std::vector<size_t>> edgesOf;
  std::vector<int64_t> level;
  std::vector<size_t> next; // for each node, how many of its edges, from the first on, can carry no more flow
};

} // namespace tilerig::compiler
