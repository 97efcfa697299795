#include "compiler/Planning/Partition/LeastCut.h"

#include <algorithm>

namespace tilerig::compiler {

size_t LeastCut::addNode() {
  edgesOf.emplace_back();
  return edgesOf.size() - 1;
}

void LeastCut::addEdge(size_t from, size_t to, int64_t weight) {
  edgesOf[from].push_back(edges.size());
  edges.push_back({to, weight});
  edgesOf[to].push_back(edges.size());
  edges.push_back({from, 0});
}

int64_t LeastCut::solve() {
  int64_t flow = 0;
  while (findLevels()) {
    next.assign(edgesOf.size(), 0);
    while (const int64_t more = push(source, never))
      flow += more;
  }
  return flow;
}

// Sets `level` of every node to its distance from the source along edges that can carry more flow
// (breadth-first search); returns whether the sink is reached.
bool LeastCut::findLevels() {
  level.assign(edgesOf.size(), -1);
  level[source] = 0;
  std::vector<size_t> queue = {source};
  for (size_t i = 0; i < queue.size(); ++i)
    for (const size_t index : edgesOf[queue[i]]) {
      const auto &[to, capacity] = edges[index];
      if (capacity > 0 && level[to] < 0) {
        level[to] = level[queue[i]] + 1;
        queue.push_back(to);
      }
    }
  return level[sink] >= 0;
}

// Pushes up to `most` units of flow along one shortest path from a node to the sink, and returns how many
// units it pushed; 0 if there is no path. The recursion is as deep as the path is long, at most the longest
// chain of operations.
int64_t LeastCut::push(size_t node, int64_t most) {
  if (node == sink)
    return most;
  for (size_t &i = next[node]; i < edgesOf[node].size(); ++i) {
    const size_t index = edgesOf[node][i];
    if (edges[index].capacity == 0 || level[edges[index].to] != level[node] + 1)
      continue;
    if (const int64_t through = push(edges[index].to, std::min(most, edges[index].capacity))) {
      edges[index].capacity -= through;
      edges[index ^ 1].capacity += through;
      return through;
    }
  }
  return 0;
}

} // namespace tilerig::compiler
