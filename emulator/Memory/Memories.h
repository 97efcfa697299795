// The memories of the machine on the host: DDR and the OCM of every tile.
//
// Address space is reserved and host memory is taken by what is touched, so 8 GiB of DDR cost what a program
// uses of them. Constants stay where they are, in the mapped program file: whoever reads DDR asks for a range
// of bytes and is given the place where they lie. Only a range that is partly constant and partly not makes
// its constants be copied into DDR, once.
//
// Fresh memory holds zeros. A proved program cannot tell; one that is not proved runs in a mode that marks
// what has been written (see Initialised.h).
#pragma once

#include "isa/Instructions/Access.h"
#include "isa/Program/Program.h"

namespace tilerig {

// Address space of a number of bytes, all zero, backed by host memory from the first touch on.
class Reservation {
public:
  static Result<Reservation> of(uint64_t sizeBytes, const std::string &what);
  Reservation() = default;
  Reservation(Reservation &&other) noexcept { *this = std::move(other); }
  Reservation &operator=(Reservation &&other) noexcept;
  ~Reservation();

  std::byte *data() const { return begin; }
  uint64_t size() const { return sizeBytes; }
  // All zero again, and the host memory given back.
  void clear();

private:
  std::byte *begin = nullptr;
  uint64_t sizeBytes = 0;
};

class Memories {
public:
  // `program` must outlive the memories.
  static Result<Memories> of(const Program &program);

  std::byte *ocm(unsigned tile) const { return ocms.data() + tile * ocmPitch; }
  // Where a range of a memory lies for reading. Ranges are inside the memory: the program has been verified.
  const std::byte *readable(MemoryId memory, ByteRange range);
  std::byte *writable(MemoryId memory, ByteRange range) const {
    return (memory == ddrMemory ? ddr.data() : ocm(tileOf(memory))) + range.begin;
  }
  // Whether all bytes of the range are constants.
  bool isConstant(MemoryId memory, ByteRange range) const {
    return memory == ddrMemory && constantsAround(range) != nullptr;
  }
  // As after the load.
  void clear();

private:
  const ConstantData *constantsAround(ByteRange range) const;
  void materialise(ByteRange range);

  const Program *program = nullptr;
  Reservation ddr, ocms;
  uint64_t ocmPitch = 0;
  std::vector<bool> materialised; // by constant
};

} // namespace tilerig
