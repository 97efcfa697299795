#include "isa/Program/Header.h"

#include "isa/Base/Support/Hash.h"
#include "isa/Base/Tensor/FieldReader.h"

#include <algorithm>
#include <cstring>
#include <fmt/core.h>

namespace tilerig {

static constexpr size_t checksumOffset = headerBytes - sizeof(uint64_t);

std::array<std::byte, headerBytes> encodeHeader(const Header &header) {
  std::array<std::byte, headerBytes> bytes = {};
  size_t at = programMagic.size();
  std::memcpy(bytes.data(), programMagic.data(), at);
  forEachHeaderField(header, [&](const auto &field) {
    std::memcpy(bytes.data() + at, &field, sizeof field);
    at += sizeof field;
  });
  uint64_t checksum = hashBytes(std::span(bytes).first(checksumOffset));
  std::memcpy(bytes.data() + checksumOffset, &checksum, sizeof checksum);
  return bytes;
}

static Error truncated(uint64_t have, uint64_t want) {
  return invalidInput("", fmt::format("the file is truncated: it has {} of {} bytes", have, want),
                      "copy or write the file again");
}

// Distinguishes files that are no program from truncated ones and from those damaged by a transfer in text
// mode.
static Status checkMagic(std::span<const std::byte> file) {
  auto expected = std::as_bytes(std::span(programMagic));
  if (file.empty())
    return invalidInput("", "is empty", "write the file again");
  size_t common = std::min(file.size(), expected.size());
  if (std::ranges::equal(file.first(common), expected.first(common)))
    return common == expected.size() ? success() : truncated(file.size(), headerBytes);
  if (file.size() >= 4 && std::ranges::equal(file.subspan(1, 3), expected.subspan(1, 3)))
    return invalidInput("",
                        "the file is a program whose first bytes were altered, as by a transfer in text mode",
                        "copy the file again, in binary mode");
  return invalidInput("", "the file is not a tilerig program",
                      "programs are written by 'tilerig compile' and 'tilerig asm'");
}

static Status checkVersion(uint32_t version) {
  if (version == programFormatVersion)
    return success();
  if (version > programFormatVersion)
    return unsupported(
        "",
        fmt::format(
            "the program was written by a newer version of tilerig in format {}, but this version reads format {}",
            version, programFormatVersion),
        "update tilerig, or compile the program again");
  return invalidInput("", fmt::format("the file claims file format {}, which does not exist", version),
                      "write the file again");
}

Result<Header> decodeHeader(std::span<const std::byte> file) {
  TILERIG_CHECK_OK(checkMagic(file));
  // The version of the file format is checked first, because a newer format may have a different header.
  FieldReader version(file.subspan(programMagic.size()));
  if (uint32_t number = version.u32(); version.ok())
    TILERIG_CHECK_OK(checkVersion(number));
  if (file.size() < headerBytes)
    return truncated(file.size(), headerBytes);

  Header header;
  FieldReader fields(file.subspan(programMagic.size()));
  forEachHeaderField(header, [&](auto &field) { field = sizeof field == 4 ? fields.u32() : fields.u64(); });
  auto expected = encodeHeader(header);
  if (!std::ranges::equal(file.first(headerBytes), std::span(expected)))
    return invalidInput("", "the header was altered: its checksum does not match",
                        "copy or write the file again");
  if (header.headerSize != headerBytes)
    return invalidInput(
        "",
        fmt::format("the header states its size as {} bytes, expected {}", header.headerSize, headerBytes),
        "write the file again");
  if (file.size() < header.fileSize)
    return truncated(file.size(), header.fileSize);
  if (file.size() > header.fileSize)
    return invalidInput(
        "", fmt::format("the file has {} surplus bytes after its end", file.size() - header.fileSize),
        "copy or write the file again");
  return header;
}

} // namespace tilerig
