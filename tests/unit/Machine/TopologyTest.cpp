// Tests of distances, routes and multicast trees against a walk over an explicit graph of the mesh.

#include "isa/Machine/Topology.h"

#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>

using namespace tilerig;

namespace {

Network mesh(uint32_t rows, uint32_t columns) {
  return {.tiles = 4 * rows * columns, .routerRows = rows, .routerColumns = columns};
}

std::vector<Network> allMeshes() {
  std::vector<Network> meshes;
  for (uint32_t rows = 1; rows <= 16; ++rows)
    for (uint32_t columns = 1; rows * columns <= 16; ++columns)
      meshes.push_back(mesh(rows, columns));
  return meshes;
}

// The adjacency of routers in the mesh, from their coordinates alone.
std::map<unsigned, std::set<unsigned>> neighboursOf(const Network &network) {
  std::map<unsigned, std::set<unsigned>> neighbours;
  int rows = static_cast<int>(network.routerRows), columns = static_cast<int>(network.routerColumns);
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      for (auto [down, right] : {std::pair{0, 1}, {0, -1}, {1, 0}, {-1, 0}}) {
        int otherRow = row + down, otherColumn = column + right;
        if (otherRow >= 0 && otherRow < rows && otherColumn >= 0 && otherColumn < columns)
          neighbours[static_cast<unsigned>(row * columns + column)].insert(
              static_cast<unsigned>(otherRow * columns + otherColumn));
      }
  return neighbours;
}

std::vector<unsigned> breadthFirst(const Network &network, unsigned from) {
  auto neighbours = neighboursOf(network);
  std::vector<unsigned> distance(network.routerRows * network.routerColumns, ~0u);
  std::deque<unsigned> open = {from};
  distance[from] = 0;
  for (; !open.empty(); open.pop_front())
    for (unsigned next : neighbours[open.front()])
      if (distance[next] == ~0u) {
        distance[next] = distance[open.front()] + 1;
        open.push_back(next);
      }
  return distance;
}

// The routers reached over the links in order. Expects every link to start at a reached router and to end at
// a neighbour that was not reached before.
std::set<unsigned> reachedBy(const Network &network, std::set<unsigned> reached, const Links &links) {
  auto neighbours = neighboursOf(network);
  for (Link link : links) {
    unsigned to = routerBehind(network, link);
    EXPECT_TRUE(reached.contains(link.router));
    EXPECT_TRUE(neighbours[link.router].contains(to));
    EXPECT_TRUE(reached.insert(to).second);
  }
  return reached;
}

TEST(Topology, tilesStandInBlocksOfFour) {
  Network network = mesh(4, 4);
  EXPECT_EQ(routerOf(0), 0u);
  EXPECT_EQ(routerOf(3), 0u);
  EXPECT_EQ(routerOf(4), 1u);
  EXPECT_EQ(routerOf(63), 15u);
  EXPECT_EQ(pointOf(network, 6), (MeshPoint{1, 2}));
  EXPECT_EQ(portOf(network, 63), 3u);
  EXPECT_EQ(routerOfPort(network, 3), 12u);
  EXPECT_EQ(numPorts(mesh(2, 8)), 2u);
  EXPECT_EQ(allTiles(64), ~uint64_t{0});
  EXPECT_EQ(allTiles(3), 7u);
}

TEST(Topology, hopsAreTheShortestPath) {
  for (const Network &network : allMeshes())
    for (unsigned from = 0; from < network.tiles; ++from) {
      auto distance = breadthFirst(network, from / 4);
      for (unsigned to = 0; to < network.tiles; ++to)
        ASSERT_EQ(hopsBetween(network, from, to), distance[to / 4]);
      for (unsigned port = 0; port < network.routerRows; ++port)
        ASSERT_EQ(hopsToPort(network, from, port), distance[port * network.routerColumns]);
      ASSERT_LE(hopsToPort(network, from, portOf(network, from)), hopsToPort(network, from, 0));
    }
}

TEST(Topology, routesLeadToTheirGoalAlongTheRowFirst) {
  for (const Network &network : allMeshes())
    for (unsigned from = 0; from < numRouters(network); ++from)
      for (unsigned to = 0; to < numRouters(network); ++to) {
        Links route = routeBetween(network, from, to);
        ASSERT_EQ(route.size(), breadthFirst(network, from)[to]);
        unsigned at = from;
        bool turned = false;
        for (Link link : route) {
          ASSERT_EQ(link.router, at);
          bool vertical = link.direction == Direction::south || link.direction == Direction::north;
          ASSERT_TRUE(vertical || !turned);
          turned = vertical;
          at = routerBehind(network, link);
        }
        ASSERT_EQ(at, to);
      }
}

TEST(Topology, aRouteSpelledOut) {
  constexpr Network network = {.tiles = 64, .routerRows = 4, .routerColumns = 4};
  constexpr Links route = routeBetween(network, 1, 11); // the route from router (0,1) to router (2,3)
  std::vector<Link> expected = {
      {1, Direction::east}, {2, Direction::east}, {3, Direction::south}, {7, Direction::south}};
  EXPECT_TRUE(std::ranges::equal(route, expected));
  static_assert(route.size() == hopsBetweenRouters(network, 1, 11));
  static_assert(routeBetween(network, 5, 5).size() == 0);
}

TEST(Topology, multicastTreesAreUnionsOfRoutes) {
  std::mt19937_64 random(1);
  for (const Network &network : allMeshes())
    for (int i = 0; i < 50; ++i) {
      unsigned source = static_cast<unsigned>(random() % network.tiles);
      TileSet receivers = random() & (i % 2 ? random() & random() : ~uint64_t{0}) & allTiles(network.tiles);
      MulticastTree tree = multicastFromTile(network, source, receivers);
      std::set<Link> wanted;
      unsigned farthest = 0;
      for (unsigned tile = 0; tile < network.tiles; ++tile)
        if (receivers >> tile & 1) {
          Links route = routeBetween(network, source / 4, tile / 4);
          wanted.insert(route.begin(), route.end());
          farthest = std::max(farthest, route.size());
        }
      ASSERT_EQ(std::set<Link>(tree.links.begin(), tree.links.end()), wanted);
      ASSERT_EQ(tree.links.size(), wanted.size());
      ASSERT_EQ(tree.hops, farthest);
      ASSERT_EQ(tree.ports, 0u);
      auto reached = reachedBy(network, {source / 4}, tree.links);
      for (unsigned tile = 0; tile < network.tiles; ++tile)
        ASSERT_TRUE(!(receivers >> tile & 1) || reached.contains(tile / 4));
    }
}

TEST(Topology, multicastsFromDdrEnterEachRowOnce) {
  std::mt19937_64 random(2);
  for (const Network &network : allMeshes())
    for (int i = 0; i < 50; ++i) {
      TileSet receivers = random() & random() & allTiles(network.tiles);
      MulticastTree tree = multicastFromDdr(network, receivers);
      std::map<unsigned, unsigned> farthestColumn; // by router row
      for (unsigned tile = 0; tile < network.tiles; ++tile)
        if (receivers >> tile & 1) {
          unsigned &column = farthestColumn[tile / 4 / network.routerColumns];
          column = std::max(column, tile / 4 % network.routerColumns);
        }
      std::set<unsigned> entered;
      unsigned links = 0, hops = 0;
      for (auto [row, column] : farthestColumn) {
        ASSERT_TRUE(tree.ports >> row & 1);
        entered.insert(row * network.routerColumns);
        links += column;
        hops = std::max(hops, column);
      }
      ASSERT_EQ(static_cast<size_t>(std::popcount(tree.ports)), farthestColumn.size());
      ASSERT_EQ(tree.links.size(), links);
      ASSERT_EQ(tree.hops, hops);
      auto reached = reachedBy(network, entered, tree.links);
      for (unsigned tile = 0; tile < network.tiles; ++tile)
        ASSERT_TRUE(!(receivers >> tile & 1) || reached.contains(tile / 4));
    }
}

TEST(Topology, barriersMeetInTheMiddle) {
  Network network = mesh(4, 4);
  EXPECT_EQ(barrierDepth(network, 0xF), 0u);          // tile set 0xF: the four tiles of one router
  EXPECT_EQ(barrierDepth(network, 0xFF), 1u);         // tile set 0xFF: the tiles of two neighbouring routers
  EXPECT_EQ(barrierDepth(network, allTiles(16)), 2u); // tile set of the four routers of one row
  EXPECT_EQ(barrierDepth(network, allTiles(64)), 4u); // all blocks
  EXPECT_EQ(barrierDepth(network, uint64_t{1} << 63), 0u);
  EXPECT_EQ(barrierDepth(mesh(1, 16), allTiles(64)), 8u);
  std::mt19937_64 random(3);
  for (const Network &other : allMeshes())
    for (int i = 0; i < 50; ++i) {
      TileSet group = random() & random() & allTiles(other.tiles);
      unsigned diameter = 0;
      for (unsigned a = 0; a < other.tiles; ++a)
        for (unsigned b = 0; b < other.tiles; ++b)
          if (group >> a & group >> b & 1)
            diameter = std::max(diameter, breadthFirst(other, a / 4)[b / 4]);
      // The members of a barrier meet at a router. The depth of the barrier is the greatest distance from a
      // member to this router, so it is at least half the group's diameter. As the router is in the middle of
      // the bounding rectangle, the depth is at most the diameter.
      ASSERT_GE(2 * barrierDepth(other, group), diameter);
      ASSERT_LE(barrierDepth(other, group), diameter);
    }
}

} // namespace
