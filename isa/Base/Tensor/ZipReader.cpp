#include "isa/Base/Tensor/ZipReader.h"

#include "isa/Base/Support/Utf8.h"
#include "isa/Base/Tensor/FieldReader.h"
#include "isa/Base/Tensor/ZipFormat.h"

#include <algorithm>
#include <fmt/core.h>
#include <optional>

namespace tilerig {

using Bytes = std::span<const std::byte>;

namespace {

// Position and size of the central directory of a zip archive.
struct Directory {
  uint64_t offset = 0, size = 0, entries = 0;
};

// The fields of a zip entry that its local header and the central directory both contain.
struct EntryFields {
  uint16_t flags = 0, method = 0;
  uint32_t crc = 0;
  uint64_t packedSize = 0, size = 0;
  uint16_t nameLength = 0, extraLength = 0;
};

} // namespace

static EntryFields readEntryFields(FieldReader &fields) {
  EntryFields entry;
  entry.flags = fields.u16();
  entry.method = fields.u16();
  fields.skip(4); // time and date
  entry.crc = fields.u32();
  entry.packedSize = fields.u32();
  entry.size = fields.u32();
  entry.nameLength = fields.u16();
  entry.extraLength = fields.u16();
  return entry;
}

// Replaces those of the `numbers` that hold the zip64 marker by their values in the zip64 extra field. The
// field lists these values in the order of `numbers`.
static bool widen(Bytes extra, std::initializer_list<uint64_t *> numbers) {
  if (std::ranges::none_of(numbers, [](uint64_t *number) { return *number == zip::in64; }))
    return true;
  for (FieldReader records(extra); !records.atEnd();) {
    uint16_t id = records.u16();
    FieldReader record(records.take(records.u16()));
    if (!records.ok())
      return false;
    if (id != zip::zip64Extra)
      continue;
    for (uint64_t *number : numbers)
      if (*number == zip::in64)
        *number = record.u64();
    return record.ok();
  }
  return false;
}

// Finds the end record of a zip archive: the last record in the file, followed only by a comment of up to
// 64 KiB whose length the record states.
static std::optional<size_t> findEnd(Bytes archive) {
  if (archive.size() < zip::endBytes)
    return std::nullopt;
  size_t last = archive.size() - zip::endBytes;
  for (size_t comment = 0; comment <= std::min<size_t>(last, 0xFFFF); ++comment) {
    FieldReader fields(archive.subspan(last - comment));
    if (fields.u32() != zip::endSignature)
      continue;
    fields.skip(16);
    if (fields.u16() == comment)
      return last - comment;
  }
  return std::nullopt;
}

static Result<Directory> readEnd64(Bytes archive, size_t locatorAt, const std::string &place) {
  FieldReader locator(archive.subspan(locatorAt));
  locator.skip(4);
  uint32_t disk = locator.u32();
  uint64_t at = locator.u64();
  uint32_t disks = locator.u32();
  if (disk != 0 || disks > 1)
    return unsupported(place, "a zip archive of several disks is not supported");
  if (at > locatorAt || locatorAt - at < zip::end64Bytes)
    return invalidInput(place, "the zip64 end record is not where its locator says");
  FieldReader end(archive.subspan(at, locatorAt - at));
  uint32_t signature = end.u32();
  uint64_t length = end.u64();
  if (signature != zip::end64Signature || length != end.left())
    return invalidInput(place, "the zip64 end record is not where its locator says");
  end.skip(4); // versions
  disk = end.u32() | end.u32();
  uint64_t entriesHere = end.u64();
  Directory directory;
  directory.entries = end.u64();
  directory.size = end.u64();
  directory.offset = end.u64();
  if (disk != 0 || entriesHere != directory.entries)
    return unsupported(place, "a zip archive of several disks is not supported");
  if (directory.offset > at || at - directory.offset != directory.size)
    return invalidInput(place, "the zip directory does not end where its end record begins");
  return directory;
}

static Result<Directory> locateDirectory(Bytes archive, const std::string &place) {
  std::optional<size_t> at = findEnd(archive);
  if (!at)
    return invalidInput(place, "the file is not a zip archive, or is truncated: it has no end record");
  if (*at >= zip::locatorBytes) {
    size_t locatorAt = *at - zip::locatorBytes;
    if (FieldReader(archive.subspan(locatorAt)).u32() == zip::locatorSignature)
      return readEnd64(archive, locatorAt, place);
  }
  FieldReader end(archive.subspan(*at + 4));
  uint16_t disk = end.u16() | end.u16(), entriesHere = end.u16();
  Directory directory;
  directory.entries = end.u16();
  directory.size = end.u32();
  directory.offset = end.u32();
  if (disk != 0 || entriesHere != directory.entries)
    return unsupported(place, "a zip archive of several disks is not supported");
  if (directory.offset > *at || *at - directory.offset != directory.size)
    return invalidInput(place, "the zip directory does not end where its end record begins");
  return directory;
}

static std::string methodName(uint16_t method) {
  switch (method) {
  case 1:
    return "shrink";
  case 6:
    return "implode";
  case 9:
    return "deflate64";
  case 12:
    return "bzip2";
  case 14:
    return "lzma";
  case 93:
    return "zstd";
  case 95:
    return "xz";
  case 99:
    return "AES encryption";
  default:
    return fmt::format("method {}", method);
  }
}

static Status checkSupported(const EntryFields &fields, std::string_view name, const std::string &place) {
  if (fields.flags & (zip::encryptedFlag | zip::strongEncryptionFlag | zip::maskedFlag))
    return unsupported(place, "the entry is encrypted", "decrypt it first");
  if (fields.flags & zip::patchFlag)
    return unsupported(place, "the entry is stored as a patch of another file, which is not supported");
  if (fields.method != zip::stored && fields.method != zip::deflated)
    return unsupported(place, fmt::format("the entry is compressed by {}", methodName(fields.method)),
                       "store the entry uncompressed, or deflate it");
  if (fields.flags & zip::utf8Flag ? !isUtf8(name) : !isAscii(name))
    return invalidInput(place, "the entry has a name that is not UTF-8, or is not marked as UTF-8");
  return success();
}

static Status checkSizes(const EntryFields &fields, const std::string &place) {
  // Upper limit of the compression by deflate, which encodes at most 258 bytes in at least two bits (one for
  // the length, one for the distance).
  constexpr uint64_t bestRatio = 258 * 8 / 2;
  if (fields.method == zip::stored && fields.packedSize != fields.size)
    return invalidInput(place, fmt::format("the entry is stored uncompressed, but its sizes {} and {} differ",
                                           fields.packedSize, fields.size));
  if (fields.method == zip::deflated && fields.size / bestRatio > fields.packedSize)
    return invalidInput(
        place, fmt::format("the entry claims {} bytes, but its {} deflated bytes cannot hold as many",
                           fields.size, fields.packedSize));
  return success();
}

// Finds the data of a zip entry behind its local header, which must agree with the central directory.
static Result<Bytes> locateData(Bytes contents, const EntryFields &listed, uint64_t offset,
                                std::string_view name, const std::string &place) {
  if (offset > contents.size())
    return invalidInput(place,
                        fmt::format("the entry has its header at byte {}, outside the archive", offset));
  FieldReader fields(contents.subspan(offset));
  uint32_t signature = fields.u32();
  fields.skip(2); // version
  EntryFields local = readEntryFields(fields);
  std::string_view localName = fields.text(local.nameLength);
  bool wide = widen(fields.take(local.extraLength), {&local.size, &local.packedSize});
  if (!fields.ok() || signature != zip::localSignature)
    return invalidInput(place, fmt::format("the entry has no header at byte {}", offset));
  bool same = localName == name && local.method == listed.method && (local.flags & zip::encryptedFlag) == 0;
  // If a data descriptor follows the content, the header was written before the sizes and the checksum were
  // known. Those of the header are then ignored.
  if ((local.flags & zip::descriptorFlag) == 0)
    same &=
        wide && local.crc == listed.crc && local.size == listed.size && local.packedSize == listed.packedSize;
  if (!same)
    return invalidInput(place, "the entry has a header that differs from the directory");
  Bytes data = fields.take(listed.packedSize);
  if (!fields.ok())
    return invalidInput(place, fmt::format("the entry is truncated: its {} bytes do not fit into the archive",
                                           listed.packedSize));
  return data;
}

static Result<ZipEntry> readEntry(FieldReader &directory, Bytes contents, const std::string &place) {
  uint32_t signature = directory.u32();
  directory.skip(4); // versions
  EntryFields fields = readEntryFields(directory);
  uint16_t commentLength = directory.u16(), disk = directory.u16();
  directory.skip(6); // attributes
  ZipEntry entry;
  entry.begin = directory.u32();
  entry.name = directory.text(fields.nameLength);
  Bytes extra = directory.take(fields.extraLength);
  directory.skip(commentLength);
  if (!directory.ok() || signature != zip::directorySignature)
    return invalidInput(place, "the zip directory is damaged");

  std::string entryPlace = fmt::format("{}: entry '{}'", place, entry.name);
  if (disk != 0)
    return unsupported(entryPlace, "the entry is on another disk of a split archive");
  TILERIG_CHECK_OK(checkSupported(fields, entry.name, entryPlace));
  if (!widen(extra, {&fields.size, &fields.packedSize, &entry.begin}))
    return invalidInput(entryPlace, "the zip64 sizes of the entry are missing");
  TILERIG_CHECK_OK(checkSizes(fields, entryPlace));
  TILERIG_TRY(entry.data, locateData(contents, fields, entry.begin, entry.name, entryPlace));
  entry.end = static_cast<uint64_t>(entry.data.data() + entry.data.size() - contents.data());
  entry.deflated = fields.method == zip::deflated;
  entry.crc = fields.crc;
  entry.size = fields.size;
  return entry;
}

// Refuses entries that share bytes: these make small archives that unpack to enormous size (zip bombs), and
// no regular writer produces them.
static Status checkDisjoint(std::span<const ZipEntry> entries, const std::string &place) {
  std::vector<const ZipEntry *> sorted;
  for (const ZipEntry &entry : entries)
    sorted.push_back(&entry);
  std::ranges::stable_sort(sorted, {}, &ZipEntry::begin);
  auto overlap = std::ranges::adjacent_find(
      sorted, [](const ZipEntry *first, const ZipEntry *second) { return first->end > second->begin; });
  if (overlap == sorted.end())
    return success();
  return invalidInput(place,
                      fmt::format("entries '{}' and '{}' overlap", overlap[0]->name, overlap[1]->name));
}

Result<std::vector<ZipEntry>> readZipDirectory(Bytes archive, const std::string &place) {
  TILERIG_TRY(Directory directory, locateDirectory(archive, place));
  if (directory.entries > directory.size / zip::directoryBytes)
    return invalidInput(place, fmt::format("a zip directory of {} bytes cannot list {} entries",
                                           directory.size, directory.entries));
  FieldReader fields(archive.subspan(directory.offset, directory.size));
  std::vector<ZipEntry> entries;
  for (uint64_t number = 0; number < directory.entries; ++number) {
    TILERIG_TRY(ZipEntry entry, readEntry(fields, archive.first(directory.offset), place));
    entries.push_back(std::move(entry));
  }
  if (!fields.atEnd())
    return invalidInput(place, "the zip directory lists more entries than it counts");
  TILERIG_CHECK_OK(checkDisjoint(entries, place));
  return entries;
}

} // namespace tilerig
