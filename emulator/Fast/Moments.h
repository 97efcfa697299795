// When a tensor is there: after which tasks of a stage its bytes are complete, and which destroy them.
//
// Metadata say that pieces are valid when a layer ends. Other layers overlap with it, and whatever reuses the
// memory comes as soon as the last reader has gone, so "when the layer ends" is no one moment of a run. But
// all writes to a byte are ordered, in a proved program. So the moment of a piece is the last write into it
// by its layer or one with a lower number: what it holds then is the tensor. Parts that a layer finds in
// their place, as a reshape finds everything and a concat may find some of its operands, are written by
// layers before it, and perhaps after its own. Where bands of a tensor take each other's place, the piece
// says which instruction comes behind its own.
#pragma once

#include "emulator/Fast/SyncGraph.h"
#include "emulator/Memory/Box.h"
#include "isa/Instructions/Access.h"

#include <optional>

namespace tilerig {

// Bytes of a memory that a layer makes.
struct Watched {
  MemoryId memory = ddrMemory;
  std::vector<Region> regions;
  uint32_t layer = 0;
  uint32_t readyAt = 0; // an instruction of the tile whose memory that is; 0: when the layer ends

  // Whether an instruction that writes there may have made it.
  bool isMadeBy(unsigned tile, uint32_t index, uint32_t itsLayer) const {
    return itsLayer <= layer && (readyAt == 0 || (memory == ocmOf(tile) && index < readyAt));
  }
};

struct Moment {
  // The task that completes the piece; none where it lies there from the beginning of the stage.
  std::optional<uint32_t> after;
  // All of its layer and those before it that write there up to then, in the order of the tasks.
  std::vector<uint32_t> writers;
  // Tasks that must have ended, and tasks that must wait, when somebody is to look at the piece: of each
  // engine the last and the first, as its tasks run one after another.
  std::vector<uint32_t> needs, before;
  // Later layers may write over a part that has been read before another part is there: so there is no such
  // moment of the whole piece, but one of each of its parts.
  bool isTorn = false;
};

// By watched piece. `tasks` are those of the stage.
std::vector<Moment> findMoments(const Program &program, uint32_t stage, const StageTasks &tasks,
                                const std::vector<Watched> &pieces);

} // namespace tilerig
