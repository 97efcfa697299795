// Tracks which bytes of the memories have been initialised since the program was loaded.
#pragma once

#include "isa/Instructions/Access.h"
#include "isa/Order/ByteSet.h"
#include "isa/Order/Pieces.h"

namespace tilerig::emulator {

class Initialised {
public:
  // Value that an uninitialised byte is given if a run goes on after the fault of reading that byte.
  static constexpr std::byte pattern{0xA5};

  // Starts with the state after a program is loaded: only the constants are initialised.
  explicit Initialised(const Program &program) : written(program.tiles + 1) {
    for (const ConstantData &constant : program.constants)
      written[ddrMemory].add(ByteRange{constant.address, constant.address + constant.bytes.size()});
  }

  void add(MemoryId memory, const Region &region) { written[memory].add(region); }
  void remove(MemoryId memory, ByteRange bytes) {
    written[memory].remove(Region::ofRun(bytes.begin, bytes.size()));
  }
  void add(const proto::Tensor &tensor) {
    forEachTensorRun(tensor, [&](MemoryId memory, ByteRange run) {
      written[memory].add(run);
      return true;
    });
  }

  // The first contiguous range of uninitialised bytes of a region or tensor; none if all are initialised.
  std::optional<ByteRange> firstMissing(MemoryId memory, const Region &region) const {
    return written[memory].firstMissing(region);
  }
  std::optional<std::pair<MemoryId, ByteRange>> firstMissing(const proto::Tensor &tensor) const {
    std::optional<std::pair<MemoryId, ByteRange>> result;
    forEachTensorRun(tensor, [&](MemoryId memory, ByteRange run) {
      if (const auto missing = written[memory].firstMissing(run))
        result.emplace(memory, *missing);
      return !result;
    });
    return result;
  }
  // Calls visit(ByteRange) for every uninitialised part of the range of bytes.
  template <class Visit>
  void forEachMissing(MemoryId memory, ByteRange range, Visit visit) const {
    while (const auto missing = written[memory].firstMissing(range)) {
      visit(*missing);
      if ((range.begin = missing->end) >= range.end)
        return;
    }
  }

  // Calls visit(MemoryId, ByteRange) for every uninitialised part of the tensor's pieces.
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

  std::vector<ByteSet> written; // for each memory, the bytes that are initialised
};

} // namespace tilerig::emulator
