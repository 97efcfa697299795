// Records what a run changes in the memories, so that it can be undone: the bytes that are overwritten, and the bytes that
// become initialised.
#pragma once

#include "emulator/Memory/Initialised.h"
#include "emulator/Memory/Memories.h"

#include <deque>

namespace tilerig::emulator {

class ChangeLog {
public:
  // A moment of the run: the number of changes that were recorded before it.
  using Mark = uint64_t;

  ChangeLog(Memories &memories, Initialised &initialised) : memories(memories), initialised(initialised) {}

  // Called before bytes of a memory are overwritten, which also makes them initialised.
  void overwrites(MemoryId memory, const Region &region);
  void overwrites(const AccessList &writes);
  // The same for all pieces of a tensor.
  void overwrites(const proto::Tensor &tensor);
  // Called before a byte at an address of the host changes that belongs to no memory of the machine.
  void overwrites(std::byte *at);

  Mark now() const { return first + changes.size(); }
  // Undoes all changes since a moment, which must not have been forgotten.
  void undoTo(Mark mark);
  // Forgets the changes before a moment, which can then no longer be undone.
  void forgetBefore(Mark mark);
  // Bytes of host memory that the records take.
  uint64_t sizeBytes() const { return size; }

private:
  struct Change {
    MemoryId memory;
    Region region;
    std::byte *at = nullptr; // for a byte that belongs to no memory of the machine
    std::vector<std::byte> before;
    std::vector<ByteRange> initialised; // bytes that were not initialised before

    uint64_t sizeBytes() const {
      return sizeof(Change) + before.size() + initialised.size() * sizeof(ByteRange);
    }
  };
  void undo(const Change &change);
  void add(Change change);

  Memories &memories;
  Initialised &initialised;
  std::deque<Change> changes;
  Mark first = 0; // number of forgotten changes
  uint64_t size = 0;
};

} // namespace tilerig::emulator
