#include "verify/Evidence/TileCounts.h"

#include "verify/Metrics/Walk.h"

#include <algorithm>

namespace tilerig::verify {

namespace {

// Calls visit(index) for each element of the box `part` of a tensor.
template <class Visit>
void forEachInBox(const Shape &shape, const TilePart &part, Visit visit) {
  std::vector<int64_t> at(shape.size(), 0);
  if (std::ranges::any_of(part.extent, [](int64_t size) { return size <= 0; }))
    return;
  for (;;) {
    int64_t index = 0;
    for (size_t axis = 0; axis < shape.size(); ++axis)
      index = index * shape[axis] + part.begin[axis] + at[axis];
    visit(static_cast<size_t>(index));
    size_t axis = shape.size();
    while (axis > 0 && ++at[axis - 1] == part.extent[axis - 1])
      at[--axis] = 0;
    if (axis == 0)
      return;
  }
}

} // namespace

std::map<uint32_t, TileCount> countByTile(const Shape &shape, const std::vector<TilePart> &parts,
                                          const std::vector<bool> &differs) {
  std::map<uint32_t, TileCount> tiles;
  for (const TilePart &part : parts)
    forEachInBox(shape, part, [&](size_t index) {
      TileCount &tile = tiles[part.tile];
      ++tile.elements;
      tile.different += differs[index];
    });
  return tiles;
}

Result<std::map<uint32_t, TileCount>> countByTile(const TensorStream &reference, const TensorStream &target,
                                                  const Comparison &comparison,
                                                  const std::vector<TilePart> &parts) {
  std::vector<bool> differs(comparison.elements);
  if (comparison.different > 0)
    TILERIG_CHECK_OK(
        walkElements(reference, target, comparison, [&](size_t index, double r, double t, const Judgement &) {
          differs[index] = !nonFiniteAgree(r, t);
        }));
  return countByTile(target.shape(), parts, differs);
}

} // namespace tilerig::verify
