// Determines when a tensor is complete: after which tasks of a stage all its bytes are written, and which
// tasks overwrite them.
//
// In a program that is proved free of races, all writes to a byte are ordered. A piece of a tensor is
// complete at the last write into it by its own layer or by an earlier layer. Earlier layers count because they
// write what a later layer finds already in place: the input of a reshape, or operands of a concat. If groups
// of rows of a tensor use the same memory one after the other, each group is complete at its own time.
#pragma once

#include "emulator/Memory/Box.h"
#include "isa/Instructions/Access.h"
#include "isa/RunPlan/SyncGraph.h"

#include <optional>

namespace tilerig::emulator {

// A piece of a tensor: bytes of a memory that a layer produces.
struct TensorPiece {
  MemoryId memory = ddrMemory;
  std::vector<Region> regions;
  uint32_t layer = 0;
  // The piece is complete before this instruction, given as an index into the code of the memory's tile;
  // 0: the piece is complete when the layer ends.
  uint32_t readyAt = 0;

  // Whether a write into these regions of memory produces part of the piece. A later write that overwrites
  // the piece does not. The write is made by instruction `index` of `tile`, for layer `itsLayer`.
  bool isMadeBy(unsigned tile, uint32_t index, uint32_t itsLayer) const {
    return itsLayer <= layer && (readyAt == 0 || (memory == ocmOf(tile) && index < readyAt));
  }
};

// When a piece of a tensor is complete, in terms of the tasks of a stage.
struct Completion {
  // The task (instruction) that completes the piece of a tensor; none if the piece exists from the beginning
  // of the stage.
  std::optional<uint32_t> after;
  // The tasks (instructions) of the piece's layer and of earlier layers that write to the piece, in task
  // order. `after` is the last of them.
  std::vector<uint32_t> writers;
  // The order of a capture of the piece among the tasks. `needs`: tasks that must end before the capture, the
  // last of each engine. `before`: tasks that must wait for the capture, the first of each engine. An
  // engine's tasks run in sequence, so one task of each engine is enough.
  std::vector<uint32_t> needs, before;
  // True if there is no time at which the whole piece is complete, because later layers may overwrite one
  // part of it before another part is written.
  bool isTorn = false;
};

// Returns for each of the given pieces of tensors when it is complete. `tasks` are the tasks of the stage.
std::vector<Completion> findCompletions(const Program &program, uint32_t stage, const StageTasks &tasks,
                                        const std::vector<TensorPiece> &pieces);

} // namespace tilerig::emulator
