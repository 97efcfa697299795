// Determines when a tensor is complete: after which tasks of a stage all its bytes are written, and which
// tasks overwrite them.
//
// The metadata say that pieces are valid when a layer ends. But other layers overlap with it, and the memory
// may be reused as soon as the last reader has ended, so the end of a layer is not a single point in time. In
// a program that is proved free of races, however, all writes to a byte are ordered. A piece is therefore
// complete at the last write into it by its own layer or by a layer with a lower number: the bytes that the
// piece holds after this write are the tensor. Parts that a layer finds already in place (all of a reshape,
// perhaps some operands of a concat) are written by earlier layers, and these writes may come after the
// layer's own. If several bands (groups of rows) of a tensor use the same memory one after the other,
// `readyAt` of a band's piece names the instruction that follows the writers of this band.
#pragma once

#include "emulator/Fast/SyncGraph.h"
#include "emulator/Memory/Box.h"
#include "isa/Instructions/Access.h"

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

  // Given a write into the regions by instruction `index` of `tile`, which belongs to layer `itsLayer`:
  // whether the write produces part of the piece, and does not overwrite it later.
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
  // For a capture of the piece: tasks that must have ended before the capture (`needs`, the last of each
  // engine), and tasks that must wait for the capture (`before`, the first of each engine). One task of each
  // engine is enough, because an engine's tasks run in sequence.
  std::vector<uint32_t> needs, before;
  // True if the whole piece is never complete at one time, because later layers may overwrite one part of the
  // piece before another part is written. The parts are then complete at different times.
  bool isTorn = false;
};

// Returns for each of the given pieces of tensors when it is complete. `tasks` are the tasks of the stage.
std::vector<Completion> findCompletions(const Program &program, uint32_t stage, const StageTasks &tasks,
                                        const std::vector<TensorPiece> &pieces);

} // namespace tilerig::emulator
