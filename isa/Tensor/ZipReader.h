// The directory of a zip archive, as far as .npz needs it, read from memory (PKWARE's APPNOTE.TXT, 4.3).
//
// Our own reader instead of libzip's, because a tensor shall be a view of the mapped file: libzip does not
// say where an entry's bytes lie, and copies them. Stored and deflated entries, zip64, data descriptors,
// comments. Archives that are encrypted, spread over disks, compressed otherwise, or whose parts overlap or
// contradict each other are refused, with the entry named.
#pragma once

#include "isa/Support/Error.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tilerig {

struct ZipEntry {
  std::string name;
  bool deflated = false;
  uint32_t crc = 0;
  uint64_t size = 0;  // of the content
  uint64_t begin = 0; // of its local header in the archive
  uint64_t end = 0;   // of its data
  // As it lies in the archive: the content itself, or its deflated form.
  std::span<const std::byte> data;
};

// All entries, in the directory's order. Nobody need fear their sizes: a stored entry is as large as its
// data, and a deflated one no larger than the best deflate can do, about a thousand times.
Result<std::vector<ZipEntry>> readZipDirectory(std::span<const std::byte> archive, const std::string &place);

} // namespace tilerig
