// Tracks which tiles certainly hold equal bytes at equal OCM addresses.
//
// A multicast leaves equal bytes in all receivers, and in the sender if it sends from the destination
// address. Few different sets of tiles arise, because they come from how layers are split. For each set the
// class records which OCM bytes are equal in all its tiles. A write other than such a multicast removes the
// bytes it writes from the record.
#pragma once

#include "isa/Instructions/Access.h"
#include "isa/Machine/Topology.h"
#include "isa/Order/ByteSet.h"
#include "isa/Program/Program.h"

#include <vector>

namespace tilerig {

constexpr TileSet setOf(unsigned tile) { return TileSet{1} << tile; }

class Mirrors {
public:
  explicit Mirrors(const Program &program);

  // Records a write of `region` in the tiles `written`, after which all tiles of `equal` hold the same bytes
  // there. `equal` may also contain the sender, which writes nothing. A tile in `written` but not in `equal`
  // holds bytes that may differ from those of any other tile.
  void write(TileSet written, TileSet equal, const Region &region);
  // Returns the lowest tile that is known to hold, in all bytes of `reads`, the same values as `tile`; none
  // if no such tile is known.
  std::optional<unsigned> lowestTile(unsigned tile, std::span<const Access> reads) const;

private:
  struct Set {
    TileSet tiles;
    ByteSet equal;
  };
  std::vector<Set> sets;
};

// The tiles that hold equal bytes after a multicast by `tile`.
TileSet equalAfter(const Multicast &multicast, unsigned tile);

} // namespace tilerig
