#include "isa/RunPlan/Mirrors.h"

#include <algorithm>
#include <bit>
#include <map>
#include <ranges>

namespace tilerig {

namespace {

// Largest number of tile sets that are tracked. If a program has more, those that occur in the most
// multicasts are tracked. ResNet-50 on 64 tiles has more than half as many.
constexpr size_t mostSets = 128;

// Whether `tileSets` contains a set that equals `tiles` without one tile. Then `tiles` consists of the
// receivers and the sender of a multicast. Such a set is not tracked, because its tiles hold equal bytes only
// until the next sender sends to the same receivers.
bool isOneMoreThanAnother(TileSet tiles, const std::map<TileSet, uint64_t> &tileSets) {
  for (TileSet rest = tiles; std::popcount(tiles) > 2 && rest != 0; rest &= rest - 1)
    if (tileSets.contains(tiles & ~(rest & -rest)))
      return true;
  return false;
}

} // namespace

TileSet equalAfter(const Multicast &multicast, unsigned tile) {
  const bool inPlace = multicast.source.space == Space::ocm &&
                       multicast.source.type == multicast.destination.type &&
                       multicast.source.base == multicast.destination.base &&
                       multicast.source.dims == multicast.destination.dims;
  return multicast.tiles | (inPlace ? setOf(tile) : 0);
}

Mirrors::Mirrors(const Program &program) {
  std::map<TileSet, uint64_t> tileSets;
  for (const Stage &stage : program.stages)
    if (const auto *device = std::get_if<DeviceStage>(&stage.work))
      for (unsigned tile = 0; tile < device->tiles.size(); ++tile)
        for (const Instruction &instruction : device->tiles[tile])
          if (const auto *multicast = std::get_if<Multicast>(&instruction))
            ++tileSets[equalAfter(*multicast, tile)];
  std::vector<std::pair<TileSet, uint64_t>> ranked;
  for (const auto &[tiles, count] : tileSets)
    if (std::popcount(tiles) > 1 && !isOneMoreThanAnother(tiles, tileSets))
      ranked.push_back({tiles, count});
  std::ranges::stable_sort(ranked, std::ranges::greater{}, &std::pair<TileSet, uint64_t>::second);
  for (const auto &[tiles, count] : ranked | std::views::take(mostSets))
    sets.push_back({tiles, {}});
  // Sorts the sets by their lowest tile. lowestTile() takes the first set that fits, so most tiles read from
  // the same few tiles.
  std::ranges::sort(sets, {}, [](const Set &set) { return std::countr_zero(set.tiles); });
}

void Mirrors::write(TileSet written, TileSet equal, const Region &region) {
  for (Set &set : sets) {
    if ((set.tiles & ~equal) == 0)
      set.equal.add(region);
    else if ((set.tiles & written) != 0)
      set.equal.remove(region);
  }
}

std::optional<unsigned> Mirrors::lowestTile(unsigned tile, std::span<const Access> reads) const {
  for (const Set &set : sets)
    if ((set.tiles & setOf(tile)) != 0 && std::ranges::none_of(reads, [&](const Access &read) {
          return set.equal.firstMissing(read.region).has_value();
        }))
      return static_cast<unsigned>(std::countr_zero(set.tiles));
  return {};
}

} // namespace tilerig
