#include "isa/Base/Tensor/ZipWriter.h"

#include "isa/Base/Support/Utf8.h"
#include "isa/Base/Tensor/Inflate.h"
#include "isa/Base/Tensor/ZipFormat.h"

#include <algorithm>
#include <fmt/core.h>

namespace tilerig {

// Version of the zip format that a reader must support: 2.0 for deflate, 4.5 for zip64.
static constexpr uint16_t plainVersion = 20, zip64Version = 45;
// The value 3 declares the archive as made on Unix: the upper half of the attributes then holds the file
// permissions, -rw-r--r--.
static constexpr uint16_t madeBy = 3 << 8 | zip64Version;
static constexpr uint32_t attributes = 0100644u << 16;
// 1980-01-01 00:00, the earliest time that the zip format can express.
static constexpr uint16_t noTime = 0, noDate = 1 << 5 | 1;
// The extra field that Android's zipalign uses for padding; readers skip it.
static constexpr uint16_t paddingExtra = 0xD935;
static constexpr uint64_t contentAlignment = 64;

namespace {
// Builds a record of little-endian fields.
struct Record {
  std::string bytes;

  Record &u16(uint64_t value) { return put(value, 2); }
  Record &u32(uint64_t value) { return put(value, 4); }
  Record &u64(uint64_t value) { return put(value, 8); }
  Record &text(std::string_view text) {
    bytes += text;
    return *this;
  }

private:
  Record &put(uint64_t value, int count) {
    for (int byte = 0; byte < count; ++byte)
      bytes += static_cast<char>(value >> 8 * byte);
    return *this;
  }
};
} // namespace

static std::span<const std::byte> asBytes(std::string_view text) { return std::as_bytes(std::span(text)); }

Result<ZipWriter> ZipWriter::create(const std::string &path, ZipWriteOptions options) {
  TILERIG_TRY(OutputFile file, OutputFile::create(path));
  return ZipWriter(path, std::move(file), options);
}

Status ZipWriter::write(std::span<const std::byte> bytes) {
  Status status = file.write(bytes);
  position += bytes.size();
  broken |= !status;
  return status;
}

Status ZipWriter::checkName(const std::string &name) const {
  // Readers of zip truncate names at a zero byte, and guess the encoding of names that are not UTF-8.
  if (!isUtf8(name) || name.find('\0') != std::string::npos)
    return invalidInput(path, fmt::format("the name '{}' is not UTF-8 text", name), "choose another name");
  if (name.size() > 0xFFFF)
    return invalidInput(
        path, fmt::format("the name of an entry has {} bytes, more than zip can hold", name.size()));
  if (names.contains(name))
    return invalidInput(path, fmt::format("there are two entries named '{}'", name));
  return success();
}

Status ZipWriter::add(std::string name, std::span<const std::byte> head, std::span<const std::byte> body) {
  TILERIG_CHECK_OK(checkName(name));
  names.insert(name);
  Line line = {};
  line.name = std::move(name);
  line.flags = isAscii(line.name) ? 0 : zip::utf8Flag;
  line.size = head.size() + body.size();
  line.offset = position;
  return options.deflate ? addDeflated(std::move(line), head, body) : addStored(std::move(line), head, body);
}

// The local header in front of the content of a zip entry. If the entry is wide (needs zip64), an extra field
// holds the two sizes.
static Record localHeader(std::string_view name, uint16_t flags, uint16_t method, uint32_t crc,
                          uint64_t packedSize, uint64_t size, bool wide, uint64_t extraBytes) {
  Record record;
  record.u32(zip::localSignature).u16(wide ? zip64Version : plainVersion).u16(flags).u16(method);
  record.u16(noTime).u16(noDate).u32(crc);
  record.u32(wide ? zip::in64 : packedSize).u32(wide ? zip::in64 : size);
  record.u16(name.size()).u16(extraBytes).text(name);
  if (wide)
    record.u16(zip::zip64Extra).u16(16).u64(size).u64(packedSize);
  return record;
}

static constexpr uint64_t wideExtraBytes = 20;

Status ZipWriter::addStored(Line line, std::span<const std::byte> head, std::span<const std::byte> body) {
  line.method = zip::stored;
  line.packedSize = line.size;
  line.crc = crc32(body, crc32(head));
  bool isWide = wide(line.size);
  uint64_t wideBytes = isWide ? wideExtraBytes : 0;
  // The padding field has a header of 4 bytes and 2 bytes that state the alignment; zeros follow.
  uint64_t unpadded = position + zip::localBytes + line.name.size() + wideBytes + 6 + head.size();
  uint64_t zeros = (contentAlignment - unpadded % contentAlignment) % contentAlignment;
  Record header = localHeader(line.name, line.flags, line.method, line.crc, line.size, line.size, isWide,
                              wideBytes + 6 + zeros);
  header.u16(paddingExtra).u16(2 + zeros).u16(contentAlignment).text(std::string(zeros, '\0'));
  TILERIG_CHECK_OK(write(asBytes(header.bytes)));
  TILERIG_CHECK_OK(write(head));
  TILERIG_CHECK_OK(write(body));
  lines.push_back(std::move(line));
  return success();
}

// The sizes of a deflated entry are known only after compression. They are written in a descriptor behind the
// data, because the output may be a pipe, which cannot seek back to the header.
Status ZipWriter::addDeflated(Line line, std::span<const std::byte> head, std::span<const std::byte> body) {
  line.method = zip::deflated;
  line.flags |= zip::descriptorFlag;
  bool isWide = wide(line.size + line.size / 1000 + 64); // upper bound of the compressed size
  Record header =
      localHeader(line.name, line.flags, line.method, 0, 0, 0, isWide, isWide ? wideExtraBytes : 0);
  TILERIG_CHECK_OK(write(asBytes(header.bytes)));
  uint64_t begin = position;
  Deflater deflater([this](std::span<const std::byte> packed) { return write(packed); });
  TILERIG_CHECK_OK(deflater.write(head));
  TILERIG_CHECK_OK(deflater.write(body));
  TILERIG_CHECK_OK(deflater.finish());
  line.packedSize = position - begin;
  line.crc = crc32(body, crc32(head));
  Record descriptor;
  descriptor.u32(zip::descriptorSignature).u32(line.crc);
  if (isWide)
    descriptor.u64(line.packedSize).u64(line.size);
  else
    descriptor.u32(line.packedSize).u32(line.size);
  TILERIG_CHECK_OK(write(asBytes(descriptor.bytes)));
  lines.push_back(std::move(line));
  return success();
}

std::string ZipWriter::directoryLine(const Line &line) const {
  Record extra;
  for (uint64_t number : {line.size, line.packedSize, line.offset})
    if (wide(number))
      extra.u64(number);
  bool isWide = !extra.bytes.empty();
  auto narrow = [&](uint64_t number) { return wide(number) ? zip::in64 : number; };
  Record record;
  record.u32(zip::directorySignature).u16(madeBy).u16(isWide ? zip64Version : plainVersion);
  record.u16(line.flags).u16(line.method).u16(noTime).u16(noDate).u32(line.crc);
  record.u32(narrow(line.packedSize)).u32(narrow(line.size)).u16(line.name.size());
  record.u16(isWide ? extra.bytes.size() + 4 : 0);
  // the entry has no comment and is not on another disk
  record.u16(0).u16(0).u16(0).u32(attributes).u32(narrow(line.offset));
  record.text(line.name);
  if (isWide)
    record.u16(zip::zip64Extra).u16(extra.bytes.size()).text(extra.bytes);
  return record.bytes;
}

std::string ZipWriter::endRecords(uint64_t begin, uint64_t end) const {
  uint64_t size = end - begin, count = lines.size();
  Record record;
  if (wide(begin) || wide(size) || count >= zip::in64Short) {
    record.u32(zip::end64Signature).u64(zip::end64Bytes - 12).u16(madeBy).u16(zip64Version);
    record.u32(0).u32(0).u64(count).u64(count).u64(size).u64(begin);
    record.u32(zip::locatorSignature).u32(0).u64(end).u32(1);
  }
  auto narrow = [&](uint64_t number) { return wide(number) ? zip::in64 : number; };
  uint64_t shortCount = std::min(count, zip::in64Short);
  record.u32(zip::endSignature).u16(0).u16(0).u16(shortCount).u16(shortCount);
  record.u32(narrow(size)).u32(narrow(begin)).u16(0);
  return record.bytes;
}

Status ZipWriter::commit() {
  if (broken)
    return invalidInput(path, "the archive is incomplete: an entry could not be written");
  uint64_t begin = position;
  for (const Line &line : lines)
    TILERIG_CHECK_OK(write(asBytes(directoryLine(line))));
  TILERIG_CHECK_OK(write(asBytes(endRecords(begin, position))));
  return file.commit();
}

} // namespace tilerig
