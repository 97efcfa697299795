// Tests of damaged program files: every truncation and every changed byte is detected and reported with a
// clear message.
#include "isa/Program/Reader.h"
#include "isa/Program/Writer.h"
#include "tests/support/Programs/Forge.h"
#include "tests/support/Programs/SampleProgram.h"

#include <gtest/gtest.h>

namespace tilerig::test {
namespace {

Machine tiny() { return *loadMachine("tiny"); }

std::vector<FileBytes> smallFiles() {
  std::vector<FileBytes> files = {*serialiseProgram(smallestProgram(tiny()))};
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    Random random(seed);
    files.push_back(*serialiseProgram(sampleProgram(random, tiny(), {.constants = 0})));
  }
  return files;
}

std::string refusalOf(std::span<const std::byte> file) {
  auto program = parseProgramFile(file, nullptr, "p.trb");
  return program ? "" : program.error().message();
}

bool contains(const std::string &text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(DamagedProgram, IsRefusedTruncatedAtEveryByte) {
  for (const FileBytes &file : smallFiles())
    for (size_t size = 0; size < file.size(); ++size) {
      std::string refusal = refusalOf(std::span(file).first(size));
      ASSERT_TRUE(contains(refusal, size == 0 ? "is empty" : "is truncated")) << size << ": " << refusal;
      ASSERT_TRUE(refusal.starts_with("p.trb: ")) << refusal;
    }
}

TEST(DamagedProgram, IsRefusedWithAnyByteChanged) {
  for (const FileBytes &file : smallFiles())
    for (size_t at = 0; at < file.size(); ++at)
      for (uint8_t change : {0x01, 0x80}) {
        FileBytes damaged = file;
        damaged[at] ^= std::byte{change};
        std::string refusal = refusalOf(damaged);
        // The first 12 bytes identify the format and its version; a change after them is always reported as
        // an altered file.
        bool clear = at < 8 ? contains(refusal, "the file is not a tilerig program") ||
                                  contains(refusal, "transfer in text mode")
                     : at < 12 ? contains(refusal, "newer version") || contains(refusal, "does not exist")
                               : contains(refusal, "altered") || contains(refusal, "are not zero");
        ASSERT_TRUE(clear) << at << ": " << refusal;
      }
}

TEST(DamagedProgram, IsRefusedWithBytesBehindItsEnd) {
  FileBytes file = smallFiles()[0];
  file.resize(file.size() + 5);
  EXPECT_EQ(refusalOf(file),
            "p.trb: the file has 5 surplus bytes after its end; copy or write the file again");
}

TEST(DamagedProgram, IsRecognisedAfterATransferAsText) {
  FileBytes file = smallFiles()[0], unixToDos, dosToUnix;
  for (std::byte byte : file) {
    if (byte == std::byte{'\n'} && (unixToDos.empty() || unixToDos.back() != std::byte{'\r'}))
      unixToDos.push_back(std::byte{'\r'});
    unixToDos.push_back(byte);
    if (byte != std::byte{'\r'})
      dosToUnix.push_back(byte);
  }
  FileBytes sevenBits = file;
  sevenBits[0] &= std::byte{0x7F};
  for (const FileBytes &converted : {unixToDos, dosToUnix, sevenBits})
    EXPECT_TRUE(contains(refusalOf(converted), "transfer in text mode")) << refusalOf(converted);
}

TEST(DamagedProgram, IsDistinguishedFromWhatIsNoProgram) {
  for (const char *text : {"PK\x03\x04 zip file",
                           "\x7f"
                           "ELF",
                           "{\"name\": \"tiny\"}", "T"})
    EXPECT_TRUE(contains(refusalOf(std::as_bytes(std::span(std::string_view(text)))),
                         "the file is not a tilerig program"));
}

TEST(DamagedProgram, MayHideInConstantsThatAreNotVerified) {
  FileBytes file = smallFiles()[0];
  proto::Metadata metadata;
  ASSERT_TRUE(readMetadata(file, metadata));
  file[metadata.constants(0).data().offset()] ^= std::byte{1};
  EXPECT_TRUE(contains(refusalOf(file), "the constants were altered"));
  EXPECT_TRUE(parseProgramFile(file, nullptr, "p.trb", {.verifyConstants = false}));
  // Even if the constants are not verified, changes outside them are detected.
  file[metadata.stages(0).device().tiles(0).offset() + 1] ^= std::byte{1};
  EXPECT_FALSE(parseProgramFile(file, nullptr, "p.trb", {.verifyConstants = false}));
}

} // namespace
} // namespace tilerig::test
