#include "compiler/Tile/Plan/PlaceParts.h"

#include "compiler/Tile/Plan/RepeatedGroups.h"
#include "isa/Machine/Topology.h"

#include <numeric>

namespace tilerig::compiler {

namespace {

// The position of a tile's router on a Z-order curve over the mesh: bits of row and column alternate.
unsigned zOrder(const Network &network, unsigned tile) {
  const MeshPoint point = pointOf(network, routerOf(tile));
  unsigned position = 0;
  for (unsigned bit = 0; bit < 8; ++bit)
    position |= (point.column >> bit & 1) << (2 * bit) | (point.row >> bit & 1) << (2 * bit + 1);
  return position;
}

class PartPlacer {
public:
  PartPlacer(const SplitProblem &problem, Choices &choices)
      : problem(problem), choices(choices), tiles(problem.tiles), order(problem.tiles),
        owned(problem.network.tensors.size()) {
    std::iota(order.begin(), order.end(), uint8_t{0});
    std::ranges::stable_sort(order, {}, [&](uint8_t tile) { return zOrder(problem.machine.network, tile); });
  }

  void place() {
    findGroups();
    for (size_t step = 0; step < choices.size(); ++step)
      if (problem.opAt(step))
        place(step);
  }

private:
  // Tiles for a group of steps, as places in `order`.
  struct Group {
    int64_t first = 0, count = 1;
  };

  bool isPlaceable(size_t step) const {
    const Choice &choice = choices[step];
    return problem.opAt(step) && choice.split.chain == 1 && choice.split.band == 0 && !choice.product;
  }

  void findGroups() {
    groupOfStep = repeatedGroups(problem.network);
    for (size_t step = 0; step < choices.size(); ++step)
      if (const std::optional<size_t> group = groupOfStep[step]) {
        groups.resize(std::max(groups.size(), *group + 1));
        if (isPlaceable(step))
          groups[*group].count = std::max(groups[*group].count, choices[step].split.tiles());
      }
    int64_t next = 0;
    for (Group &group : groups) {
      group.first = (next + group.count - 1) / group.count * group.count;
      if (group.first + group.count > tiles)
        group.first = 0;
      next = group.first + group.count;
    }
  }

  // The tiles among which a step may choose.
  Group groupOf(size_t step) const {
    return groupOfStep[step] ? groups[*groupOfStep[step]] : Group{.first = 0, .count = tiles};
  }

  void place(size_t step) {
    const DeviceOp &deviceOp = *problem.opAt(step);
    const std::vector<int64_t> &shape = problem.resultShape(deviceOp);
    Split &split = choices[step].split;
    if (isPlaceable(step)) {
      const Group group = groupOf(step);
      const int64_t parts = split.tiles();
      int64_t best = group.first, most = -1;
      for (int64_t first = group.first; first + parts <= group.first + group.count; first += parts) {
        split.order = orderFrom(first);
        const int64_t here = 2 * parts > group.count
                                 ? 0
                                 : elementsHere(deviceOp, boxesOf(split, deviceOp, shape, problem.tiles));
        if (here > most) {
          most = here;
          best = first;
        }
      }
      split.order = orderFrom(best);
    }
    owned[deviceOp.result] = boxesOf(split, deviceOp, shape, problem.tiles);
  }

  std::vector<uint8_t> orderFrom(int64_t first) const {
    std::vector<uint8_t> rotated = order;
    std::ranges::rotate(rotated, rotated.begin() + first);
    return rotated;
  }

  // The number of elements that tiles read and have already, if the parts of the result go to them in this way.
  int64_t elementsHere(const DeviceOp &deviceOp, const std::vector<Box> &boxes) const {
    int64_t elements = 0;
    for (const Operand &operand : deviceOp.operands)
      if (const std::vector<Box> &parts = owned[operand.tensor]; !parts.empty())
        for (size_t tile = 0; tile < boxes.size(); ++tile)
          if (!boxes[tile].empty())
            elements += static_cast<int64_t>(
                intersection(neededBox(operand, problem.network.tensors[operand.tensor], boxes[tile]),
                             parts[tile])
                    .elements());
    return elements;
  }

  const SplitProblem &problem;
  Choices &choices;
  const int64_t tiles;
  std::vector<uint8_t> order; // the tiles, in an order in which neighbours are close to each other
  std::vector<std::optional<size_t>> groupOfStep;
  std::vector<Group> groups;
  std::vector<std::vector<Box>>
      owned; // for each tensor, the box of each tile; empty if no operation computes it
};

} // namespace

void placeParts(const SplitProblem &problem, Choices &choices) { PartPlacer(problem, choices).place(); }

} // namespace tilerig::compiler
