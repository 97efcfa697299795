// Reads the content of a deflated zip entry sequentially and verifies its checksum.
#pragma once

#include "isa/Base/Tensor/Inflate.h"
#include "isa/Base/Tensor/ZipReader.h"

namespace tilerig {

// Refuses an entry if `crc`, the CRC-32 of its content, differs from the CRC-32 in the archive.
Status checkSum(const ZipEntry &entry, uint32_t crc);

class EntryReader {
public:
  // Reads the content of a zip entry, to which it keeps a reference. If `checksSum` is false, the checksum of
  // the content is not verified.
  EntryReader(const ZipEntry &entry, bool checksSum)
      : entry(entry), checksSum(checksSum), inflater(entry.data), left(entry.size) {}

  // Fills `to` with the next bytes. Refuses content that ends early; when the last byte is read, also content
  // that continues after it or has the wrong checksum.
  Status read(std::span<std::byte> to);
  // The compressed bytes of the archive that have been consumed so far.
  std::span<const std::byte> used() const { return inflater.used(); }

private:
  const ZipEntry &entry;
  bool checksSum;
  Inflater inflater;
  uint64_t left;
  uint32_t crc = 0;
};

} // namespace tilerig
