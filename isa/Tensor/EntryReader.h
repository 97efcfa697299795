// The content of a deflated entry of an archive, front to back, with its checksum.
#pragma once

#include "isa/Tensor/Inflate.h"
#include "isa/Tensor/ZipReader.h"

namespace tilerig {

// That a content is what the archive says of it.
Status checkSum(const ZipEntry &entry, uint32_t crc);

class EntryReader {
public:
  // The entry has to outlive it. Without `checksSum` the content is trusted.
  EntryReader(const ZipEntry &entry, bool checksSum)
      : entry(entry), checksSum(checksSum), inflater(entry.data), left(entry.size) {}

  // Fills `to`. What ends early is refused, and with the last byte what goes on behind it, or has another
  // checksum.
  Status read(std::span<std::byte> to);
  // The bytes of the archive that are unpacked.
  std::span<const std::byte> used() const { return inflater.used(); }

private:
  const ZipEntry &entry;
  bool checksSum;
  Inflater inflater;
  uint64_t left;
  uint32_t crc = 0;
};

} // namespace tilerig
