// Writes a zip archive sequentially, entry by entry; used for .npz files.
//
// The output is reproducible: it depends only on names and contents, and contains no times or owners
// (deflated entries also depend on the version of zlib). Stored contents are aligned in the archive so that
// they can be used directly from the mapped file. libzip is not used because it needs all contents to stay
// alive until it closes the archive, and aligns none.
#pragma once

#include "isa/Base/Support/File.h"

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilerig {

struct ZipWriteOptions {
  bool deflate = false;
  // Sizes and offsets from this value on are written in the zip64 form. Lower values than the default are for
  // tests.
  uint64_t zip64From = 0xFFFFFFFF;
};

class ZipWriter {
public:
  static Result<ZipWriter> create(const std::string &path, ZipWriteOptions options);

  // Adds a zip entry with the content `head` followed by `body`. If the entry is not deflated, `body` is
  // aligned to 64 bytes.
  Status add(std::string name, std::span<const std::byte> head, std::span<const std::byte> body);
  // Writes the directory of the archive and renames the file to its final name.
  Status commit();

private:
  struct Line { // an entry of the archive's directory
    std::string name;
    uint16_t flags, method;
    uint32_t crc;
    uint64_t packedSize, size, offset;
  };

  ZipWriter(std::string path, OutputFile file, ZipWriteOptions options)
      : path(std::move(path)), file(std::move(file)), options(options) {}
  Status checkName(const std::string &name) const;
  Status write(std::span<const std::byte> bytes);
  Status addStored(Line line, std::span<const std::byte> head, std::span<const std::byte> body);
  Status addDeflated(Line line, std::span<const std::byte> head, std::span<const std::byte> body);
  std::string directoryLine(const Line &line) const;
  std::string endRecords(uint64_t begin, uint64_t end) const;
  bool wide(uint64_t number) const { return number >= options.zip64From; }

  std::string path;
  OutputFile file;
  ZipWriteOptions options;
  std::vector<Line> lines;
  std::set<std::string, std::less<>> names;
  uint64_t position = 0;
  bool broken = false; // whether an earlier write has failed
};

} // namespace tilerig
