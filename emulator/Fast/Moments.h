// When a tensor is there: after which tasks of a stage its bytes are complete, and which destroy them.
//
// Metadata say that pieces are valid when a layer ends. Other layers overlap with it, and whatever reuses the
// memory comes as soon as the last reader has gone, so "when the layer ends" is no one moment of a run. But
// all writes to a byte are ordered, in a proved program. So the moment of a piece is the last write into it
// by its layer or one with a lower number: what it holds then is the tensor. Parts that a layer finds in
// their place, as a reshape finds everything and a concat may find some of its operands, are written by
// layers before it, and perhaps after its own.
//
// A large piece need not be there as a whole at any time: a later layer may reuse one part of it, which
// nobody reads any more, while another part is still to come. Smaller pieces then have moments of their own.
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
};

struct Moment {
  // The task that completes the piece; none where it lies there from the beginning of the stage.
  std::optional<uint32_t> after;
  // All that write there up to then and are of its layer or one with a lower number, in the order of the
  // tasks.
  std::vector<uint32_t> writers;
  // Nobody else has written there by then.
  bool isWhole = true;
  // Tasks that must have ended, and tasks that must wait, when somebody is to look at the piece: of each
  // engine the last and the first, as its tasks run one after another.
  std::vector<uint32_t> needs, before;
};

// By watched piece. `tasks` are those of the stage.
std::vector<Moment> findMoments(const Program &program, uint32_t stage, const StageTasks &tasks,
                                const std::vector<Watched> &pieces);

} // namespace tilerig
