#include "emulator/Beats/ChangeLog.h"

#include <cstring>

namespace tilerig::emulator {

void ChangeLog::overwrites(MemoryId memory, const Region &region) {
  Change change{.memory = memory, .region = region, .before = {}, .initialised = {}};
  change.before.resize(region.sizeBytes());
  std::byte *to = change.before.data();
  forEachRun(region, [&](ByteRange run) {
    std::memcpy(to, memories.writable(memory, run), run.size());
    to += run.size();
    return true;
  });
  if (initialised.firstMissing(memory, region))
    forEachRun(region, [&](ByteRange run) {
      initialised.forEachMissing(memory, run, [&](ByteRange bytes) { change.initialised.push_back(bytes); });
      return true;
    });
  add(std::move(change));
}

void ChangeLog::overwrites(const AccessList &writes) {
  for (const Access &access : writes)
    if (access.kind == AccessKind::write)
      overwrites(access.memory, access.region);
}

void ChangeLog::overwrites(const proto::Tensor &tensor) {
  for (const proto::Piece &piece : tensor.pieces())
    (void)forEachRun(tensor, piece, [&](ByteRange run) {
      overwrites(piece.ddr() ? ddrMemory : ocmOf(piece.tile()), Region::ofRun(run.begin, run.size()));
      return true;
    });
}

void ChangeLog::overwrites(std::byte *at) {
  add({.memory = ddrMemory, .region = {}, .at = at, .before = {*at}, .initialised = {}});
}

void ChangeLog::add(Change change) {
  size += change.sizeBytes();
  changes.push_back(std::move(change));
}

void ChangeLog::undo(const Change &change) {
  const std::byte *from = change.before.data();
  if (change.at) {
    *change.at = *from;
    return;
  }
  forEachRun(change.region, [&](ByteRange run) {
    std::memcpy(memories.writable(change.memory, run), from, run.size());
    from += run.size();
    return true;
  });
  for (ByteRange bytes : change.initialised)
    initialised.remove(change.memory, bytes);
}

void ChangeLog::undoTo(Mark mark) {
  while (now() > mark) {
    undo(changes.back());
    size -= changes.back().sizeBytes();
    changes.pop_back();
  }
}

void ChangeLog::forgetBefore(Mark mark) {
  for (; first < mark && !changes.empty(); ++first) {
    size -= changes.front().sizeBytes();
    changes.pop_front();
  }
}

} // namespace tilerig::emulator
