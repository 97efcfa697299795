// Parses the directory of a zip archive in memory, as far as .npz files need it (PKWARE's APPNOTE.TXT, 4.3).
//
// libzip is not used because a tensor should be a view of the mapped file: libzip does not tell where the
// bytes of an entry lie, and copies them. Supported are stored and deflated entries, zip64, data descriptors
// and comments. Archives that are encrypted, split over several disks or compressed by other methods, or
// whose parts overlap or contradict each other, are refused, and the error names the entry.
#pragma once

#include "isa/Base/Support/Error.h"

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
  uint64_t size = 0;  // size in bytes before compression
  uint64_t begin = 0; // offset of the local header in the archive
  uint64_t end = 0;   // offset of the end of the entry's data in the archive
  // The entry's bytes in the archive: the content itself, or its deflated form.
  std::span<const std::byte> data;
};

// All entries of a zip archive in the order of its directory. Their sizes are plausible: a stored entry is as
// large as its data, and a deflated one at most as large as deflate can achieve, about a thousand times its
// data.
Result<std::vector<ZipEntry>> readZipDirectory(std::span<const std::byte> archive, const std::string &place);

} // namespace tilerig
