// Topology of the network: positions of tiles and DDR ports in the mesh of routers, distances, routes and
// multicast trees.
//
// Routers are numbered like the blocks they serve, row-major. Routing is XY: a message leaves its tile
// through the tile's port, travels along its router's row first and then along the column of its destination;
// every link is one hop. Tiles of one block are zero hops apart. A multicast uses the union of the routes to
// its receivers; it is a tree, because all routes begin at the same router, and crosses each link once.
//
// DDR has a port at column 0 of every router row; a tile uses the port of its own row. A multicast from DDR
// enters every row that has receivers through the row's own port, so no link between rows is used.
//
// Everything here is plain integers and works at compile time. Tiles, routers and ports must exist in the
// network.
#pragma once

#include "isa/Machine/Machine.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <compare>

namespace tilerig {

inline constexpr unsigned maxRouters = maxTiles / tilesPerBlock;
inline constexpr unsigned maxPorts = maxRouters; // DDR has one port for each router row

using TileSet = uint64_t; // set of tiles; bit t stands for tile t

constexpr unsigned routerOf(unsigned tile) { return tile / tilesPerBlock; }
constexpr unsigned numRouters(const Network &network) { return network.routerRows * network.routerColumns; }
constexpr unsigned numPorts(const Network &network) { return network.routerRows; }
constexpr TileSet allTiles(unsigned tiles) { return tiles < 64 ? (TileSet{1} << tiles) - 1 : ~TileSet{0}; }

struct MeshPoint {
  unsigned row = 0, column = 0;
  bool operator==(const MeshPoint &) const = default;
};
constexpr MeshPoint pointOf(const Network &network, unsigned router) {
  return {router / network.routerColumns, router % network.routerColumns};
}
constexpr unsigned routerAt(const Network &network, MeshPoint point) {
  return point.row * network.routerColumns + point.column;
}

// The DDR port that serves a tile, and the router at which a port is located.
constexpr unsigned portOf(const Network &network, unsigned tile) {
  return pointOf(network, routerOf(tile)).row;
}
constexpr unsigned routerOfPort(const Network &network, unsigned port) {
  return routerAt(network, {port, 0});
}

enum class Direction : uint8_t { east, west, south, north };

// One direction of the connection between two neighbouring routers: it leaves `router` towards `direction`.
struct Link {
  uint8_t router = 0;
  Direction direction = Direction::east;
  auto operator<=>(const Link &) const = default;

  // The number of the link (0, 1, 2, ...), the index into tables that have an entry for each link.
  constexpr unsigned id() const { return router * 4u + static_cast<unsigned>(direction); }
};
inline constexpr unsigned maxLinks = maxRouters * 4;

constexpr unsigned routerBehind(const Network &network, Link link) {
  switch (link.direction) {
  case Direction::east:
    return link.router + 1u;
  case Direction::west:
    return link.router - 1u;
  case Direction::south:
    return link.router + network.routerColumns;
  case Direction::north:
    return link.router - network.routerColumns;
  }
  return link.router;
}

// An ordered set of links: in the order in which data reaches them, without duplicates. A route or tree has
// fewer links than there are routers.
class Links {
public:
  constexpr const Link *begin() const { return links.data(); }
  constexpr const Link *end() const { return links.data() + count; }
  constexpr unsigned size() const { return count; }
  constexpr bool contains(Link link) const { return members >> link.id() & 1; }
  constexpr void add(Link link) {
    if (contains(link))
      return;
    assert(count < links.size());
    links[count++] = link;
    members |= uint64_t{1} << link.id();
  }
  constexpr bool operator==(const Links &other) const { return std::ranges::equal(*this, other); }

private:
  static_assert(maxLinks <= 64, "the set of links is stored in 64 bits, one for each link of the network");
  std::array<Link, maxRouters - 1> links{};
  unsigned count = 0;
  uint64_t members = 0;
};

constexpr unsigned hopsBetweenRouters(const Network &network, unsigned from, unsigned to) {
  MeshPoint a = pointOf(network, from), b = pointOf(network, to);
  auto distance = [](unsigned x, unsigned y) { return x > y ? x - y : y - x; };
  return distance(a.row, b.row) + distance(a.column, b.column);
}
constexpr unsigned hopsBetween(const Network &network, unsigned fromTile, unsigned toTile) {
  return hopsBetweenRouters(network, routerOf(fromTile), routerOf(toTile));
}
constexpr unsigned hopsToPort(const Network &network, unsigned tile, unsigned port) {
  return hopsBetweenRouters(network, routerOf(tile), routerOfPort(network, port));
}

// Adds the links of the XY route between two routers to `links`.
constexpr void addRoute(const Network &network, unsigned from, unsigned to, Links &links) {
  MeshPoint at = pointOf(network, from), goal = pointOf(network, to);
  unsigned router = from;
  auto step = [&](Direction direction) {
    Link link{static_cast<uint8_t>(router), direction};
    links.add(link);
    router = routerBehind(network, link);
  };
  for (; at.column < goal.column; ++at.column)
    step(Direction::east);
  for (; at.column > goal.column; --at.column)
    step(Direction::west);
  for (; at.row < goal.row; ++at.row)
    step(Direction::south);
  for (; at.row > goal.row; --at.row)
    step(Direction::north);
}

// The XY route from router to router; empty within one block.
constexpr Links routeBetween(const Network &network, unsigned from, unsigned to) {
  Links links;
  addRoute(network, from, to, links);
  return links;
}

// Calls visit(tile) for every tile of the set, ascending.
template <class Visitor>
constexpr void forEachTile(TileSet tiles, Visitor &&visit) {
  for (; tiles; tiles &= tiles - 1)
    visit(static_cast<unsigned>(std::countr_zero(tiles)));
}

// A multicast tree: its links, the DDR ports it enters through, and the hops to its farthest receiver.
struct MulticastTree {
  Links links;
  // DDR ports that the multicast enters through, as a set (bit p: port p); 0 if the source is a tile.
  uint32_t ports = 0;
  unsigned hops = 0;
};

constexpr MulticastTree multicastFromTile(const Network &network, unsigned source, TileSet receivers) {
  MulticastTree tree;
  forEachTile(receivers, [&](unsigned tile) {
    addRoute(network, routerOf(source), routerOf(tile), tree.links);
    tree.hops = std::max(tree.hops, hopsBetween(network, source, tile));
  });
  return tree;
}

constexpr MulticastTree multicastFromDdr(const Network &network, TileSet receivers) {
  MulticastTree tree;
  forEachTile(receivers, [&](unsigned tile) {
    unsigned port = portOf(network, tile);
    addRoute(network, routerOfPort(network, port), routerOf(tile), tree.links);
    tree.ports |= 1u << port;
    tree.hops = std::max(tree.hops, hopsToPort(network, tile, port));
  });
  return tree;
}

// Hops from the farthest member of a group of tiles to the router that collects the arrivals at the group's
// barrier: the centre of the group's bounding box (the upper left router if there are several).
constexpr unsigned barrierDepth(const Network &network, TileSet group) {
  MeshPoint low{~0u, ~0u}, high;
  forEachTile(group, [&](unsigned tile) {
    MeshPoint point = pointOf(network, routerOf(tile));
    low = {std::min(low.row, point.row), std::min(low.column, point.column)};
    high = {std::max(high.row, point.row), std::max(high.column, point.column)};
  });
  unsigned depth = 0;
  forEachTile(group, [&](unsigned tile) {
    unsigned meeting = routerAt(network, {(low.row + high.row) / 2, (low.column + high.column) / 2});
    depth = std::max(depth, hopsBetweenRouters(network, routerOf(tile), meeting));
  });
  return depth;
}

} // namespace tilerig
