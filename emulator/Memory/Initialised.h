// Which bytes of the memories have been written since the load.
#pragma once

#include "isa/Analyser/ByteSet.h"
#include "isa/Analyser/Pieces.h"
#include "isa/Instructions/Access.h"

namespace tilerig {

class Initialised {
public:
  // What an uninitialised byte reads as, where a run goes on after that fault.
  static constexpr std::byte pattern{0xA5};

  // As after the load: constants are there, nothing else is.
  explicit Initialised(const Program &program) : written(program.tiles + 1) {
    for (const ConstantData &constant : program.constants)
      written[ddrMemory].add(ByteRange{constant.address, constant.address + constant.bytes.size()});
  }

  void add(MemoryId memory, const Region &region) { written[memory].add(region); }
  void add(const proto::Tensor &tensor) {
    forEachTensorRun(tensor, [&](MemoryId memory, ByteRange run) {
      written[memory].add(run);
      return true;
    });
  }

  // The lowest bytes that have not been written, as far as they are contiguous.
  std::optional<ByteRange> firstMissing(MemoryId memory, const Region &region) const {
    return written[memory].firstMissing(region);
  }
  std::optional<std::pair<MemoryId, ByteRange>> firstMissing(const proto::Tensor &tensor) const {
    std::optional<std::pair<MemoryId, ByteRange>> found;
    forEachTensorRun(tensor, [&](MemoryId memory, ByteRange run) {
      if (const auto missing = written[memory].firstMissing(run))
        found.emplace(memory, *missing);
      return !found;
    });
    return found;
  }
  // Calls visit(ByteRange) for all bytes of the range that have not been written.
  template <class Visit>
  void forEachMissing(MemoryId memory, ByteRange range, Visit visit) const {
    while (const auto missing = written[memory].firstMissing(range)) {
      visit(*missing);
      if ((range.begin = missing->end) >= range.end)
        return;
    }
  }

  // The same for those of a tensor: visit(MemoryId, ByteRange).
  template <class Visit>
  void forEachMissing(const proto::Tensor &tensor, Visit visit) const {
    forEachTensorRun(tensor, [&](MemoryId memory, ByteRange run) {
      forEachMissing(memory, run, [&](ByteRange bytes) { visit(memory, bytes); });
      return true;
    });
  }

private:
  template <class Visit>
  static void forEachTensorRun(const proto::Tensor &tensor, Visit visit) {
    bool goesOn = true;
    for (const proto::Piece &piece : tensor.pieces())
      goesOn = goesOn && forEachRun(tensor, piece, [&](ByteRange run) {
                 return visit(piece.ddr() ? ddrMemory : ocmOf(piece.tile()), run);
               });
  }

  std::vector<ByteSet> written; // by memory
};

} // namespace tilerig
