// Read-only memory-mapped files, and output files that are replaced atomically.
#pragma once

#include "isa/Base/Support/Error.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tilerig {

// A file mapped read-only for the lifetime of this object; pages are read on first access. Folders and
// devices are refused; an empty file maps to an empty span. OutputFile replaces files instead of modifying
// them, so a mapping keeps the content of the file that was opened. If another program truncates the file in
// place, accesses to the lost pages fail.
class MappedFile {
public:
  // Maps the file at `path`. Returns an error if it does not exist, cannot be read, or is no regular file.
  static Result<MappedFile> open(const std::string &path);

  MappedFile() = default;
  MappedFile(MappedFile &&other) noexcept;
  MappedFile &operator=(MappedFile &&other) noexcept;
  ~MappedFile();

  // The content of the file, valid as long as this object.
  std::span<const std::byte> bytes() const { return {static_cast<const std::byte *>(address), size}; }

private:
  void *address = nullptr;
  size_t size = 0;
};

// Lets the system take back the memory of the pages of mapped files that hold these bytes. The bytes stay valid: pages
// are read from the file again when they are used. Does nothing for other memory.
void releasePages(std::span<const std::byte> bytes);

// An output file that is written under a temporary name in the same folder and renamed by commit(). If the
// writer fails or the process dies before that, the old file is unchanged. If the path is a symbolic link,
// the file it points to is replaced and the link stays. Devices, pipes and the process's own streams
// (/dev/stdout) are written directly. The path "-" is refused, since users may mean standard output by it.
class OutputFile {
public:
  // Creates the temporary file, or opens the device, pipe or stream that `path` names.
  static Result<OutputFile> create(const std::string &path);

  OutputFile(OutputFile &&other) noexcept;
  OutputFile &operator=(OutputFile &&) = delete;
  ~OutputFile();

  // Writes bytes at the current offset.
  Status write(std::span<const std::byte> bytes);
  // Writes text at the current offset.
  Status write(std::string_view text);
  // Moves to an offset without writing, to leave a gap of zeros in a sparse file. A pipe is padded with zeros
  // instead and cannot move backwards.
  Status seek(uint64_t offset);
  // Closes the file and renames it to its path. Without this call the new file is deleted.
  Status commit();

  // The file descriptor, for code that writes to the file without write().
  int descriptor() const { return fd; }

private:
  OutputFile() = default;
  static Result<OutputFile> createStream(const std::string &path, int fd);

  std::string path;      // path as given by the user, for messages
  std::string target;    // file that commit() replaces; empty for a stream
  std::string temporary; // file that is deleted unless commit() renames it
  uint64_t position = 0; // number of bytes written; a stream cannot report its position
  int fd = -1;
};

// Reads a whole regular file.
Result<std::string> readText(const std::string &path);
// Writes a whole file. An existing file is replaced only when the new one is complete.
Status writeText(const std::string &path, std::string_view text);

} // namespace tilerig
