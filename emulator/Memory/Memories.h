// The emulated memories in host memory: DDR and the OCM (on-chip memory) of every tile.
//
// Address space is reserved, and host memory is committed on first touch, so 8 GiB of DDR cost only what a
// program uses. Constants stay in the memory-mapped program file: a reader of DDR requests a byte range and
// receives its host address. Constants are copied into the DDR buffer only if a requested range contains
// other bytes besides them, and only once.
//
// Fresh memory holds zeros. A program with the analyser's proof never reads them; any other program runs in a
// mode that tracks which bytes have been written (see Initialised.h).
#pragma once

#include "isa/Instructions/Access.h"
#include "isa/Program/Program.h"

#include <memory>
#include <mutex>
#include <vector>

namespace tilerig::emulator {

// Reserved address space of a given size, zero-filled and backed by host memory on first touch.
class Reservation {
public:
  static Result<Reservation> of(uint64_t sizeBytes, const std::string &memoryName);
  Reservation() = default;
  Reservation(Reservation &&other) noexcept { *this = std::move(other); }
  Reservation &operator=(Reservation &&other) noexcept;
  ~Reservation();

  std::byte *data() const { return begin; }
  uint64_t size() const { return sizeBytes; }
  // Resets all bytes to zero and gives the host memory back to the operating system.
  void clear();

private:
  std::byte *begin = nullptr;
  uint64_t sizeBytes = 0;
};

class Memories {
public:
  // Creates the emulated memories for `program`, which must outlive them.
  static Result<Memories> of(const Program &program);

  std::byte *ocm(unsigned tile) const { return ocms.data() + tile * ocmPitch; }
  // Returns the host address at which a range of an emulated memory can be read. The range must lie inside
  // the memory; verified programs ensure that.
  const std::byte *readable(MemoryId memory, ByteRange range);
  std::byte *writable(MemoryId memory, ByteRange range) const {
    return (memory == ddrMemory ? ddr.data() : ocm(tileOf(memory))) + range.begin;
  }
  // Whether the range of memory consists of constants of the program alone.
  bool isConstant(MemoryId memory, ByteRange range) const {
    return memory == ddrMemory && constantsAround(range) != nullptr;
  }
  // Copies the constants in a range of DDR into the DDR buffer, if they are not there yet.
  void copyConstants(ByteRange range);
  // Resets the memories to the state after the program was loaded.
  void clear();

private:
  const ConstantData *constantsAround(ByteRange range) const;

  const Program *program = nullptr;
  Reservation ddr, ocms;
  uint64_t ocmPitch = 0;
  // For each constant of the program, whether it has been copied into the DDR buffer; several threads may ask for that.
  std::vector<bool> materialised;
  std::unique_ptr<std::mutex> materialising = std::make_unique<std::mutex>();
};

} // namespace tilerig::emulator
