// Files: read-only memory maps, and outputs that appear whole or not at all.
#pragma once

#include "isa/Support/Error.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tilerig {

// A file mapped read-only for as long as the value lives; pages are read when touched. Refuses folders and
// devices; an empty file maps to an empty span. Outputs of ours replace files instead of changing them, so a
// map keeps what it was opened on; a program that shortens the file in place takes the pages away.
class MappedFile {
public:
  static Result<MappedFile> open(const std::string &path);

  MappedFile() = default;
  MappedFile(MappedFile &&other) noexcept;
  MappedFile &operator=(MappedFile &&other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return {static_cast<const std::byte *>(address), size}; }

private:
  void *address = nullptr;
  size_t size = 0;
};

// An output file written under a temporary name beside its place. Only commit() gives it its name; a writer
// that fails, or a process that dies, leaves the old file as it was. A symbolic link stays one: what it leads
// to is replaced. Devices, pipes and the process's own streams (/dev/stdout) are written to directly.
class OutputFile {
public:
  static Result<OutputFile> create(const std::string &path);

  OutputFile(OutputFile &&other) noexcept;
  OutputFile &operator=(OutputFile &&) = delete;
  ~OutputFile();

  Status write(std::span<const std::byte> bytes);
  Status write(std::string_view text);
  // Sets the length, writes nothing: for padding to an offset in a sparse file. A pipe gets zeros instead,
  // and cannot go back.
  Status seek(uint64_t offset);
  Status commit();

  int descriptor() const { return fd; }

private:
  OutputFile() = default;
  static Result<OutputFile> createStream(const std::string &path, int fd);

  std::string path;      // as the user wrote it, for messages
  std::string target;    // what commit() replaces; empty for a stream
  std::string temporary; // what must be removed when commit() is not reached
  uint64_t position = 0; // bytes written, which a stream cannot be asked for
  int fd = -1;
};

Result<std::string> readText(const std::string &path);
Status writeText(const std::string &path, std::string_view text);

} // namespace tilerig
