// Tests of the minimum cut of a graph against the minimum over all cuts.
#include "compiler/Planning/Partition/LeastCut.h"

#include <gtest/gtest.h>
#include <random>

namespace tilerig {
using namespace compiler;

namespace {

struct Edge {
  size_t from, to;
  int64_t weight;
};

int64_t weightOf(const std::vector<Edge> &edges, uint64_t onSourceSide) {
  int64_t weight = 0;
  for (const Edge &edge : edges)
    if ((onSourceSide >> edge.from & 1) && !(onSourceSide >> edge.to & 1))
      weight += edge.weight;
  return weight;
}

} // namespace

TEST(LeastCut, IsTheLeastOfAll) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 300; ++round) {
    const size_t nodes = 2 + random() % 7;
    std::vector<Edge> edges;
    for (size_t i = random() % 25; i > 0; --i)
      edges.push_back({random() % nodes, random() % nodes, static_cast<int64_t>(random() % 10)});
    LeastCut cut;
    while (cut.addNode() + 1 < nodes) {
    }
    for (const Edge &edge : edges)
      cut.addEdge(edge.from, edge.to, edge.weight);
    int64_t least = LeastCut::never;
    int fewest = 64;
    for (uint64_t side = 0; side < uint64_t{1} << nodes; ++side)
      if ((side & 1) && !(side & 2))
        least = std::min(least, weightOf(edges, side));
    for (uint64_t side = 0; side < uint64_t{1} << nodes; ++side)
      if ((side & 1) && !(side & 2) && weightOf(edges, side) == least)
        fewest = std::min(fewest, std::popcount(side));

    EXPECT_EQ(cut.solve(), least);

    uint64_t chosen = 0;
    for (size_t node = 0; node < nodes; ++node)
      chosen |= uint64_t{cut.isOnSourceSide(node)} << node;
    EXPECT_EQ(weightOf(edges, chosen), least);
    EXPECT_EQ(std::popcount(chosen), fewest);
  }
}

TEST(LeastCut, LeavesHeavyEdgesWhole) {
  LeastCut cut;
  const size_t a = cut.addNode(), b = cut.addNode();
  cut.addEdge(LeastCut::source, a, LeastCut::never);
  cut.addEdge(a, b, 5);
  cut.addEdge(b, LeastCut::sink, LeastCut::never);
  EXPECT_EQ(cut.solve(), 5);
  EXPECT_TRUE(cut.isOnSourceSide(a));
  EXPECT_FALSE(cut.isOnSourceSide(b));
}

} // namespace tilerig
