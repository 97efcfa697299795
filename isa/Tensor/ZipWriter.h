// A zip archive written front to back, an entry at a time: what .npz files are made of.
//
// The bytes depend on nothing but the names and contents: no times, no owners (deflated ones also on the
// version of zlib). Stored contents are aligned in the archive, so that they can be used from the mapped
// file. The alternative, libzip, wants all contents alive until it closes the archive, and aligns none.
#pragma once

#include "isa/Support/File.h"

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilerig {

struct ZipWriteOptions {
  bool deflate = false;
  // Sizes and offsets from here on are written in the zip64 form. Less than the format demands is for tests.
  uint64_t zip64From = 0xFFFFFFFF;
};

class ZipWriter {
public:
  static Result<ZipWriter> create(const std::string &path, ZipWriteOptions options);

  // An entry whose content is `head` and then `body`; the body is aligned to 64 bytes when it is stored.
  Status add(std::string name, std::span<const std::byte> head, std::span<const std::byte> body);
  // Writes the directory and gives the file its name.
  Status commit();

private:
  struct Line { // of the directory
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
  bool broken = false; // something could not be written
};

} // namespace tilerig
