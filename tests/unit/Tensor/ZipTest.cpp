// Tests of zip archives built byte by byte, so that each is wrong in exactly one way.
#include "isa/Base/Tensor/Npz.h"

#include "isa/Base/Support/Utf8.h"
#include "isa/Base/Tensor/Inflate.h"
#include "isa/Base/Tensor/Npy.h"
#include "tests/support/RandomTensor.h"
#include "tests/support/TemporaryFolder.h"

namespace tilerig {

static std::string little(uint64_t value, int bytes) {
  std::string text;
  for (int byte = 0; byte < bytes; ++byte)
    text += static_cast<char>(value >> 8 * byte);
  return text;
}

// An archive with one stored entry; every field can be set before build().
struct OneEntry {
  std::string content = "PAYLOAD", localName = "a", name = "a", localExtra, extra, comment, endComment,
              between;
  uint64_t flags = 0, method = 0, crc, size = 7, packedSize = 7, localSize = 7, localPackedSize = 7,
           localFlags = 0;
  uint64_t offset = 0, disk = 0, entries = 1, entriesHere = 1, directorySize = 0, directoryOffset = 0;
  bool fixDirectory = true;

  OneEntry() { crc = crc32(std::as_bytes(std::span(content))); }

  std::string build() const {
    std::string local = little(0x04034b50, 4) + little(20, 2) + little(localFlags, 2) + little(method, 2) +
                        little(0, 4) + little(crc, 4) + little(localPackedSize, 4) + little(localSize, 4) +
                        little(localName.size(), 2) + little(localExtra.size(), 2) + localName + localExtra +
                        content;
    std::string line = little(0x02014b50, 4) + little(20, 2) + little(20, 2) + little(flags, 2) +
                       little(method, 2) + little(0, 4) + little(crc, 4) + little(packedSize, 4) +
                       little(size, 4) + little(name.size(), 2) + little(extra.size(), 2) +
                       little(comment.size(), 2) + little(disk, 2) + little(0, 6) + little(offset, 4) + name +
                       extra + comment;
    uint64_t at = fixDirectory ? local.size() : directoryOffset,
             size = fixDirectory ? line.size() : directorySize;
    std::string end = little(0x06054b50, 4) + little(0, 4) + little(entriesHere, 2) + little(entries, 2) +
                      little(size, 4) + little(at, 4) + little(endComment.size(), 2) + endComment;
    return local + line + between + end;
  }
};

static Result<std::vector<ZipEntry>> read(const std::string &archive) {
  return readZipDirectory(std::as_bytes(std::span(archive)), "z");
}

TEST(Zip, ReadsAnEntryWithAllTheOptionalParts) {
  OneEntry zip;
  zip.localExtra = "\xFE\xCA\2\0hi", zip.extra = "\xFE\xCA\4\0abcd", zip.comment = "c";
  zip.localExtra = std::string("\xFE\xCA\2\0hi", 6), zip.extra = std::string("\xFE\xCA\4\0abcd", 8);
  zip.endComment = "a comment with PK\5\6 in it";
  std::string archive = zip.build();
  auto entries = read(archive);
  ASSERT_TRUE(entries) << messageOf(entries);
  ASSERT_EQ(entries->size(), 1u);
  EXPECT_EQ(entries->front().name, "a");
  EXPECT_EQ(entries->front().size, 7u);
  EXPECT_EQ(std::string(reinterpret_cast<const char *>(entries->front().data.data()), 7), "PAYLOAD");
}

TEST(Zip, ReadsAnEmptyArchive) {
  auto entries = read(little(0x06054b50, 4) + std::string(18, '\0'));
  ASSERT_TRUE(entries) << messageOf(entries);
  EXPECT_TRUE(entries->empty());
}

TEST(Zip, TakesSizesFromTheZip64Field) {
  OneEntry zip;
  zip.localSize = zip.localPackedSize = zip.size = zip.packedSize = zip.offset = 0xFFFFFFFF;
  zip.localExtra = little(1, 2) + little(16, 2) + little(7, 8) + little(7, 8);
  zip.extra = little(1, 2) + little(24, 2) + little(7, 8) + little(7, 8) + little(0, 8);
  std::string archive = zip.build();
  auto entries = read(archive);
  ASSERT_TRUE(entries) << messageOf(entries);
  EXPECT_EQ(entries->front().size, 7u);
  zip.extra = little(1, 2) + little(16, 2) + little(7, 8) + little(7, 8);
  EXPECT_REFUSED(read(zip.build()), "the zip64 sizes of the entry are missing");
  zip.extra = "";
  EXPECT_REFUSED(read(zip.build()), "the zip64 sizes of the entry are missing");
}

// Each test case changes one thing in a valid zip archive, and the error names what was changed.
TEST(Zip, RefusesWhatIsWrongAndNamesIt) {
  ASSERT_TRUE(read(OneEntry().build()));
  auto refused = [](auto change, const char *words) {
    OneEntry zip;
    change(zip);
    SCOPED_TRACE(words);
    EXPECT_REFUSED(read(zip.build()), words);
  };
  refused([](OneEntry &zip) { zip.flags = 1; }, "entry 'a': the entry is encrypted");
  refused([](OneEntry &zip) { zip.flags = 0x41; }, "the entry is encrypted");
  refused([](OneEntry &zip) { zip.flags = 0x20; }, "the entry is stored as a patch");
  refused([](OneEntry &zip) { zip.method = 12; }, "the entry is compressed by bzip2");
  refused([](OneEntry &zip) { zip.method = 14; }, "the entry is compressed by lzma");
  refused([](OneEntry &zip) { zip.method = 77; }, "the entry is compressed by method 77");
  refused([](OneEntry &zip) { zip.name = zip.localName = "\xE4"; }, "not UTF-8");
  refused([](OneEntry &zip) { zip.name = zip.localName = "\xE4", zip.flags = 0x800; }, "not UTF-8");
  refused([](OneEntry &zip) { zip.localName = "b"; }, "differs from the directory");
  refused([](OneEntry &zip) { zip.localSize = 8; }, "differs from the directory");
  refused([](OneEntry &zip) { zip.localPackedSize = 6; }, "differs from the directory");
  refused([](OneEntry &zip) { zip.localFlags = 1; }, "differs from the directory");
  refused([](OneEntry &zip) { zip.size = 8; }, "its sizes 7 and 8 differ");
  refused([](OneEntry &zip) { zip.size = zip.packedSize = zip.localSize = zip.localPackedSize = 8; },
          "is truncated");
  refused([](OneEntry &zip) { zip.offset = 1; }, "the entry has no header at byte 1");
  refused([](OneEntry &zip) { zip.offset = 0x7FFFFFFF; }, "outside the archive");
  refused([](OneEntry &zip) { zip.disk = 1; }, "on another disk");
  refused([](OneEntry &zip) { zip.entriesHere = 0; }, "several disks");
  refused([](OneEntry &zip) { zip.entries = zip.entriesHere = 2; }, "cannot list 2 entries");
  refused([](OneEntry &zip) { zip.entries = zip.entriesHere = 0; }, "more entries than it counts");
  refused([](OneEntry &zip) { zip.between = "?"; }, "does not end where its end record begins");
  refused([](OneEntry &zip) { zip.fixDirectory = false, zip.directorySize = 47; }, "does not end where");
  refused([](OneEntry &zip) { zip.method = 8, zip.size = zip.localSize = 7 * 1032 + 1032; }, "cannot hold");
}

TEST(Zip, AcceptsUnknownLocalSizesWithADataDescriptor) {
  OneEntry zip;
  zip.flags = zip.localFlags = 8, zip.localSize = zip.localPackedSize = 0;
  zip.content += little(0x08074b50, 4) + little(zip.crc, 4) + little(7, 4) + little(7, 4);
  EXPECT_TRUE(read(zip.build()));
}

TEST(Zip, RefusesEveryTruncation) {
  std::string archive = OneEntry().build();
  for (size_t length = 0; length < archive.size(); ++length)
    EXPECT_FALSE(read(archive.substr(0, length))) << length;
}

TEST(Zip, RefusesOverlappingEntries) {
  // Two entries of the directory refer to the same local header.
  OneEntry zip;
  std::string archive = zip.build();
  size_t lineBegin = 30 + 1 + 7, lineSize = 46 + 1;
  std::string line = archive.substr(lineBegin, lineSize);
  std::string end = archive.substr(lineBegin + lineSize);
  end.replace(8, 8, little(2, 2) + little(2, 2) + little(2 * lineSize, 4));
  EXPECT_REFUSED(read(archive.substr(0, lineBegin) + line + line + end), "entries 'a' and 'a' overlap");
}

TEST(Inflate, WhatIsDeflatedComesBackInPiecesOfAnySize) {
  Random random(3);
  for (size_t size : {size_t{0}, size_t{1}, size_t{1000}, size_t{300000}}) {
    std::vector<std::byte> content(size), packed, unpacked(size + 10);
    for (std::byte &byte : content)
      byte = static_cast<std::byte>(random.below(4));
    Deflater deflater([&](std::span<const std::byte> bytes) {
      packed.insert(packed.end(), bytes.begin(), bytes.end());
      return success();
    });
    ASSERT_TRUE(deflater.write(content));
    ASSERT_TRUE(deflater.finish());
    Inflater inflater(packed);
    size_t filled = 0;
    while (filled < size) {
      size_t piece = std::min(size - filled, 1 + random.below(70000));
      auto read = inflater.read(std::span(unpacked).subspan(filled, piece));
      ASSERT_TRUE(read) << messageOf(read);
      ASSERT_EQ(*read, piece);
      filled += piece;
    }
    auto ended = inflater.atEnd();
    ASSERT_TRUE(ended) << messageOf(ended);
    EXPECT_TRUE(*ended);
    EXPECT_TRUE(std::equal(content.begin(), content.end(), unpacked.begin()));
    if (packed.size() > 1) {
      auto cut = Inflater(std::span(packed).first(packed.size() - 1)).read(unpacked);
      EXPECT_REFUSED(cut, "truncated");
    }
    packed.push_back(std::byte{0});
    Inflater surplus(packed);
    ASSERT_TRUE(surplus.read(std::span(unpacked).first(size)));
    EXPECT_FALSE(*surplus.atEnd());
  }
}

// The CRC-32 of "123456789" is the check value of the CRC catalogue.
TEST(Inflate, CrcMatchesZip) {
  std::string text = "123456789";
  EXPECT_EQ(crc32(std::as_bytes(std::span(text))), 0xCBF43926u);
  auto bytes = std::as_bytes(std::span(text));
  EXPECT_EQ(crc32(bytes.subspan(4), crc32(bytes.first(4))), 0xCBF43926u);
  EXPECT_EQ(crc32({}, 0xCBF43926u), 0xCBF43926u);
}

TEST(Utf8, AcceptsExactlyTheFormsOfTheStandard) {
  for (std::string_view good :
       {"", "a", "\xC3\xA4", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\xF4\x8F\xBF\xBF", "\xED\x9F\xBF"})
    EXPECT_TRUE(isUtf8(good)) << good;
  for (std::string_view bad : {"\x80", "\xC3",
                               "\xC3"
                               "a",
                               "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
                               "\xF4\x90\x80\x80", "\xF8\x88\x80\x80\x80", "\xFF", "\xE2\x82"})
    EXPECT_FALSE(isUtf8(bad)) << bad;
}

} // namespace tilerig
