#include "isa/Program/ProgramSet.h"

#include "isa/Base/Support/File.h"
#include "isa/Program/Reader.h"
#include "isa/Program/Writer.h"
#include "tests/support/Programs/SampleProgram.h"
#include "tests/support/TemporaryFolder.h"

#include <cstring>
#include <gtest/gtest.h>

namespace tilerig::test {
namespace {

class ProgramSet : public testing::Test {
protected:
  // Writes a file with three programs, whose models are named "n", "nn" and "nnn".
  void SetUp() override {
    std::vector<std::string> files;
    for (const size_t nameLength : {1, 2, 3}) {
      Program program = smallestProgram(*loadMachine("tiny"));
      program.metadata.set_model(std::string(nameLength, 'n'));
      ASSERT_TRUE(writeProgram(program, files.emplace_back(folder.path(std::to_string(nameLength)))));
    }
    const Status written = writeProgramSet(files, path);
    ASSERT_TRUE(written) << written.error().message();
    auto mapped = MappedFile::open(path);
    ASSERT_TRUE(mapped);
    bytes.assign(mapped->bytes().begin(), mapped->bytes().end());
  }
  std::string whyRefused(const std::vector<std::byte> &file) {
    const auto programs = programsIn(file);
    return programs ? "" : programs.error().message();
  }

  TemporaryFolder folder;
  const std::string path = folder.path("set.trb");
  std::vector<std::byte> bytes;
};

TEST_F(ProgramSet, NumbersNameItsPrograms) {
  for (const int number : {1, 2, 3}) {
    const auto program = readProgram(path + "#" + std::to_string(number));
    ASSERT_TRUE(program) << program.error().message();
    EXPECT_EQ(program->metadata.model(), std::string(number, 'n'));
  }
  for (const char *number : {"#0", "#4"}) {
    const auto none = readProgram(path + number);
    ASSERT_FALSE(none);
    EXPECT_NE(none.error().message().find("the file has 3"), std::string::npos);
  }
}

TEST_F(ProgramSet, WithoutANumberTheFirstThatFitsIsRead) {
  ReadOptions options;
  options.fits = [](const Program &program) { return program.metadata.model().size() > 1; };
  const auto program = readProgram(path, options);
  ASSERT_TRUE(program) << program.error().message();
  EXPECT_EQ(program->metadata.model(), "nn");
  options.fits = [](const Program &) { return false; };
  EXPECT_NE(readProgram(path, options).error().message().find("none has inputs of the given"),
            std::string::npos);
  EXPECT_NE(readProgram(path).error().message().find("name one of them"), std::string::npos);
}

TEST_F(ProgramSet, OneProgramHasNoNumber) {
  EXPECT_TRUE(readProgram(folder.path("2")));
  const auto numbered = readProgram(folder.path("2") + "#1");
  ASSERT_FALSE(numbered);
  EXPECT_NE(numbered.error().message().find("only one program"), std::string::npos);
}

TEST_F(ProgramSet, AFileWhoseNameEndsLikeANumberIsThatFile) {
  const std::string odd = folder.path("odd#2");
  std::filesystem::copy_file(folder.path("1"), odd);
  EXPECT_EQ(programNameOf(odd).file, odd);
  EXPECT_TRUE(readProgram(odd));
  EXPECT_EQ(programNameOf(path + "#x").file, path + "#x");
}

TEST_F(ProgramSet, EveryTruncationIsRefused) {
  for (size_t size = 8; size < bytes.size(); size += size < 200 ? 1 : 511)
    EXPECT_NE(whyRefused({bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(size)}), "") << size;
  EXPECT_EQ(whyRefused(bytes), "");
}

TEST_F(ProgramSet, EveryChangeOfItsOwnBytesIsRefused) {
  const std::vector<std::span<const std::byte>> programs = *programsIn(bytes);
  size_t at = 8;
  for (const auto program : programs) {
    for (; bytes.data() + at < program.data(); ++at) {
      bytes[at] ^= std::byte{1};
      EXPECT_NE(whyRefused(bytes), "") << at;
      bytes[at] ^= std::byte{1};
    }
    at += program.size();
  }
  bytes.push_back(std::byte{0});
  EXPECT_NE(whyRefused(bytes).find("follow the last program"), std::string::npos);
}

} // namespace
} // namespace tilerig::test
