#include "compiler/Planning/Partition/ChoosePlaces.h"

#include "compiler/Planning/Partition/LeastCut.h"
#include "isa/Timing/Host.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace tilerig::compiler {

namespace {

constexpr auto accelerator = LayerPlace::accelerator, host = LayerPlace::host;
using Layers = std::span<const CostedLayer>;
using Places = std::vector<LayerPlace>;
// numbers of the layers that move together to the host or to the accelerator
using Group = std::vector<size_t>;

uint64_t bytesOf(const std::vector<TensorUse> &uses) {
  uint64_t bytes = 0;
  for (const TensorUse &use : uses)
    bytes += use.bytes;
  return bytes;
}

uint64_t nanosecondsOfCall(Layers layers, const std::vector<size_t> &called) {
  std::set<size_t> atHand;
  uint64_t nanoseconds = 0;
  for (const size_t i : called) {
    uint64_t fetched = 0;
    for (const TensorUse &input : layers[i].inputs)
      if (atHand.insert(input.tensor).second)
        fetched += input.bytes;
    for (const TensorUse &output : layers[i].outputs)
      atHand.insert(output.tensor);
    nanoseconds += hostNanoseconds(
        {.beginsCall = i == called.front(), .bytesFetched = fetched, .bytesPut = bytesOf(layers[i].outputs)},
        layers[i].hostOperations);
  }
  return nanoseconds;
}

Places startOf(Layers layers) {
  Places places;
  for (const CostedLayer &layer : layers)
    places.push_back(layer.placed.place);
  return places;
}

// For each layer, whether the minimum cut moves it to the host. Only layers that both the host and the
// accelerator can run (`isFree`) move. The host is the source's side of the cut, so that of several minimum
// cuts the one with the fewest layers on the host is taken.
std::vector<bool> proposeByCut(Layers layers, uint64_t passage) {
  LeastCut cut;
  const auto priceOf = [](uint64_t bytes) {
    return hostNanoseconds({.beginsCall = true, .bytesFetched = bytes, .bytesPut = 0}, 0);
  };
  std::vector<size_t> nodes;
  for (const CostedLayer &layer : layers) {
    const size_t node = cut.addNode();
    nodes.push_back(node);
    if (layer.isFree) {
      const uint64_t onHost = hostNanoseconds(
          {.beginsCall = false, .bytesFetched = 0, .bytesPut = bytesOf(layer.outputs)}, layer.hostOperations);
      cut.addEdge(LeastCut::source, node, static_cast<int64_t>(layer.acceleratorNanoseconds));
      cut.addEdge(node, LeastCut::sink, static_cast<int64_t>(onHost));
    } else if (layer.placed.place == host) {
      cut.addEdge(LeastCut::source, node, LeastCut::never);
    } else {
      cut.addEdge(node, LeastCut::sink, LeastCut::never);
    }
  }
  // The host fetches the outputs of an accelerator layer once, however many host layers read them. Hence the
  // graph has one extra node for each accelerator layer that is read by host layers.
  // for each layer on the accelerator whose outputs are read, its extra node in the graph
  std::map<size_t, size_t> fetches;
  for (size_t reader = 0; reader < layers.size(); ++reader)
    for (const size_t maker : layers[reader].placed.readsFrom) {
      const auto [fetch, isNew] = fetches.try_emplace(maker, 0);
      if (isNew) {
        fetch->second = cut.addNode();
        cut.addEdge(fetch->second, nodes[maker],
                    static_cast<int64_t>(priceOf(bytesOf(layers[maker].outputs)) + passage));
      }
      cut.addEdge(nodes[reader], fetch->second, LeastCut::never);
    }
  for (size_t i = 0; i < layers.size(); ++i)
    if (layers[i].placed.readsFrom.empty()) // the layer reads inputs of the network, which are in DDR
      cut.addEdge(nodes[i], LeastCut::sink, static_cast<int64_t>(priceOf(bytesOf(layers[i].inputs))));
  cut.solve();
  std::vector<bool> moves;
  for (size_t i = 0; i < layers.size(); ++i)
    moves.push_back(layers[i].isFree && cut.isOnSourceSide(nodes[i]));
  return moves;
}

// Connected components of the layers that move: groups in which layers read from each other, directly or
// through other layers of the group (found by union-find). They are sorted by their first layer.
std::vector<Group> groupsOf(Layers layers, const std::vector<bool> &moves) {
  std::vector<size_t> first(layers.size()); // union-find parent of each layer
  std::iota(first.begin(), first.end(), size_t{0});
  const auto find = [&](size_t i) {
    while (first[i] != i)
      i = first[i] = first[first[i]];
    return i;
  };
  for (size_t i = 0; i < layers.size(); ++i)
    for (const size_t before : layers[i].placed.readsFrom)
      if (moves[i] && moves[before]) {
        const size_t a = find(i), b = find(before);
        first[std::max(a, b)] = std::min(a, b);
      }
  std::map<size_t, Group> groups;
  for (size_t i = 0; i < layers.size(); ++i)
    if (moves[i])
      groups[find(i)].push_back(i);
  std::vector<Group> all;
  for (auto &[_, group] : groups)
    all.push_back(std::move(group));
  return all;
}

class Improver {
public:
  Improver(Layers layers, uint64_t passage) : layers(layers), passage(passage) {}

  uint64_t timeOf(const Places &places) const { return nanosecondsOf(layers, places, passage); }

  // Returns the places (accelerator or host) of all layers after the layers of the group have been moved to
  // `place`.
  static Places with(Places places, const Group &group, LayerPlace place) {
    for (const size_t i : group)
      places[i] = place;
    return places;
  }

  // Local search: moves one group of layers after another to the host or to the accelerator, whichever makes
  // the whole network faster while the other groups stay, until nothing changes.
  Places improve(Places places, const std::vector<Group> &groups) const {
    uint64_t time = timeOf(places);
    for (bool improves = true; improves;) {
      improves = false;
      for (const Group &group : groups)
        for (const LayerPlace place : {accelerator, host}) {
          Places other = with(places, group, place);
          const uint64_t otherTime = timeOf(other);
          const bool goesHome = place == accelerator && other != places;
          if (otherTime < time || (goesHome && otherTime == time)) {
            places = std::move(other);
            time = otherTime;
            improves = true;
          }
        }
    }
    return places;
  }

private:
  Layers layers;
  uint64_t passage;
};

} // namespace

uint64_t nanosecondsOf(Layers layers, std::span<const LayerPlace> places, uint64_t passage) {
  std::vector<PlacedLayer> placed;
  for (size_t i = 0; i < layers.size(); ++i)
    placed.push_back({places[i], layers[i].placed.readsFrom});
  uint64_t nanoseconds = 0;
  for (const LayerRegion &region : formRegions(placed)) {
    if (region.place == host) {
      nanoseconds += nanosecondsOfCall(layers, region.layers);
      continue;
    }
    nanoseconds += passage;
    for (const size_t i : region.layers)
      nanoseconds += layers[i].acceleratorNanoseconds;
  }
  return nanoseconds;
}

std::vector<ChosenPlace> choosePlaces(Layers layers, uint64_t passage) {
  const Improver improver(layers, passage);
  const Places start = startOf(layers);
  const std::vector<Group> proposed = groupsOf(layers, proposeByCut(layers, passage));
  std::vector<Group> groups = proposed;
  for (size_t i = 0; i < layers.size(); ++i)
    if (layers[i].isFree)
      groups.push_back({i});
  // Runs the local search twice: starting with no group moved, and with all proposed groups moved. The second
  // start is needed because two neighbouring groups may save a host call only if both move.
  Places places = improver.improve(start, groups), other = start;
  for (const Group &group : proposed)
    other = Improver::with(std::move(other), group, host);
  other = improver.improve(std::move(other), groups);
  if (improver.timeOf(other) < improver.timeOf(places))
    places = std::move(other);

  std::vector<ChosenPlace> chosen;
  for (const LayerPlace place : places)
    chosen.push_back({place});
  const uint64_t time = improver.timeOf(places);
  const auto tell = [&](const Group &group) {
    const bool isOnHost = places[group.front()] == host;
    const uint64_t otherTime = improver.timeOf(Improver::with(places, group, isOnHost ? accelerator : host));
    for (const size_t i : group)
      chosen[i].times = isOnHost ? ChosenPlace::Times{otherTime, time} : ChosenPlace::Times{time, otherTime};
  };
  std::vector<bool> moved;
  for (size_t i = 0; i < layers.size(); ++i)
    moved.push_back(layers[i].isFree && places[i] == host);
  for (const Group &group : groupsOf(layers, moved))
    tell(group);
  for (size_t i = 0; i < layers.size(); ++i)
    if (layers[i].isFree && !chosen[i].times)
      tell({i});
  return chosen;
}

} // namespace tilerig::compiler
