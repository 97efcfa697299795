// Which tiles certainly hold the same bytes at the same addresses.
//
// A multicast leaves its receivers with equal bytes, and its sender with them, if it sends from where they
// arrive. Sets of tiles that do so are few, for they come from how layers are split; of each it is kept which
// bytes of the OCM are equal in all of its tiles. Any other write to one of them ends that for what it
// touches.
#pragma once

#include "isa/Analyser/ByteSet.h"
#include "isa/Instructions/Access.h"
#include "isa/Program/Program.h"

#include <vector>

namespace tilerig {

using TileSet = uint64_t;
constexpr TileSet setOf(unsigned tile) { return TileSet{1} << tile; }

class Mirrors {
public:
  explicit Mirrors(const Program &program);

  // The tiles' bytes become equal in the tiles of `equal`, which are those that were written and perhaps the
  // sender; whoever was written without being in `equal` has bytes of its own.
  void write(TileSet written, TileSet equal, const Region &region);
  // Of the sets in which all bytes of the regions are equal in all tiles, the given one among them: the
  // lowest tile.
  std::optional<unsigned> lowestTile(unsigned tile, std::span<const Access> reads) const;

private:
  struct Set {
    TileSet tiles;
    ByteSet equal;
  };
  std::vector<Set> sets;
};

// The tiles that hold the same after a multicast by `tile`.
TileSet equalAfter(const Multicast &multicast, unsigned tile);

} // namespace tilerig
