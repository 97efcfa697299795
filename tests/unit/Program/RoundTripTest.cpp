// A program that is written and read back is equal, and is written again as the same bytes.
#include "isa/Base/Support/File.h"
#include "isa/Instructions/Codec.h"
#include "isa/Instructions/Schema.h"
#include "isa/Program/Reader.h"
#include "isa/Program/Writer.h"
#include "tests/support/Programs/Forge.h"
#include "tests/support/Programs/SampleProgram.h"

#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>

namespace tilerig::test {
namespace {

Machine tiny() { return *loadMachine("tiny"); }

FileBytes bytesOf(const Program &program) {
  auto bytes = serialiseProgram(program);
  EXPECT_TRUE(bytes) << bytes.error().message();
  return bytes ? *bytes : FileBytes();
}

// Compares bit by bit, so that a NaN equals the same NaN.
bool same(const google::protobuf::Message &a, const google::protobuf::Message &b) {
  return serialised(a) == serialised(b);
}

void expectEqual(const Program &a, const Program &b) {
  EXPECT_EQ(a.machine, b.machine);
  EXPECT_EQ(a.tiles, b.tiles);
  EXPECT_TRUE(same(a.metadata, b.metadata));
  ASSERT_EQ(a.proof.has_value(), b.proof.has_value());
  EXPECT_TRUE(!a.proof || same(*a.proof, *b.proof));
  ASSERT_EQ(a.stages.size(), b.stages.size());
  for (size_t i = 0; i < a.stages.size(); ++i) {
    EXPECT_EQ(a.stages[i].name, b.stages[i].name);
    EXPECT_EQ(a.stages[i].phase, b.stages[i].phase);
    ASSERT_EQ(a.stages[i].work.index(), b.stages[i].work.index());
    if (auto *work = std::get_if<DeviceStage>(&a.stages[i].work))
      EXPECT_EQ(work->tiles, std::get<DeviceStage>(b.stages[i].work).tiles);
    else
      EXPECT_TRUE(
          same(std::get<proto::HostWork>(a.stages[i].work), std::get<proto::HostWork>(b.stages[i].work)));
  }
  ASSERT_EQ(a.constants.size(), b.constants.size());
  for (size_t i = 0; i < a.constants.size(); ++i) {
    EXPECT_EQ(a.constants[i].address, b.constants[i].address);
    EXPECT_TRUE(std::ranges::equal(a.constants[i].bytes, b.constants[i].bytes));
  }
}

TEST(ProgramFile, ReadsBackWhatWasWritten) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    Random random(seed);
    Program program = sampleProgram(random, *loadMachine(random.pick({"tiny", "tr16", "tr64"})));
    FileBytes file = bytesOf(program);
    auto again = parseProgramFile(file, nullptr, "memory");
    ASSERT_TRUE(again) << "seed " << seed << ": " << again.error().message();
    expectEqual(program, *again);
    EXPECT_EQ(bytesOf(*again), file) << "seed " << seed;
  }
}

TEST(ProgramFile, IsTheSameWhateverOrderMapsWereFilledIn) {
  Program forward = smallestProgram(tiny()), backward = forward;
  for (int key = 0; key < 50; ++key)
    (*forward.metadata.mutable_layers(0)->mutable_decisions())[std::to_string(key)] = "x";
  for (int key = 50; key-- > 0;)
    (*backward.metadata.mutable_layers(0)->mutable_decisions())[std::to_string(key)] = "x";
  EXPECT_EQ(bytesOf(forward), bytesOf(backward));
}

TEST(ProgramFile, OwnsTheFieldsOfTheMetadataThatTheStructStates) {
  Program plain = smallestProgram(tiny()), filled = plain;
  filled.metadata.set_machine("nonsense");
  filled.metadata.set_tiles(99);
  filled.metadata.add_stages()->set_name("nonsense");
  filled.metadata.add_constants();
  filled.metadata.mutable_proof();
  EXPECT_EQ(bytesOf(filled), bytesOf(plain));
}

TEST(ProgramFile, LeavesConstantsWhereTheyLieAndKeepsThemAlive) {
  auto folder = std::filesystem::temp_directory_path() / ("program-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::string path = folder / "p.trb";
  Program program = smallestProgram(tiny());
  program.constants.push_back(constantOf(1000, std::vector<std::byte>(10'000, std::byte{7})));
  ASSERT_TRUE(writeProgram(program, path));
  EXPECT_EQ(std::filesystem::file_size(path), bytesOf(program).size());

  std::vector<ConstantData> constants;
  {
    auto read = readProgram(path);
    ASSERT_TRUE(read) << read.error().message();
    constants = read->constants;
  }
  ASSERT_EQ(constants.size(), 2u);
  auto *map = static_cast<const MappedFile *>(constants[1].owner.get());
  auto offset = constants[1].bytes.data() - map->bytes().data();
  EXPECT_EQ(offset % 4096, 0);
  EXPECT_EQ(constants[1].bytes[9'999], std::byte{7});

  // Overwrites the file from which the program's constants are memory-mapped.
  auto read = readProgram(path);
  ASSERT_TRUE(writeProgram(*read, path));
  auto again = readProgram(path);
  ASSERT_TRUE(again);
  expectEqual(program, *again);
  std::filesystem::remove_all(folder);
}

TEST(ProgramFile, IsWrittenWholeOrNotAtAll) {
  auto folder = std::filesystem::temp_directory_path() / ("program-refused-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::string path = folder / "p.trb";
  Program program = smallestProgram(tiny());
  program.stages[0].name = "";
  auto status = writeProgram(program, path);
  ASSERT_FALSE(status);
  EXPECT_TRUE(status.error().place.starts_with(path)) << status.error().message();
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  std::filesystem::remove_all(folder);

  auto missing = readProgram(path);
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message().find("cannot open"), std::string::npos);
}

// An independent writer of the file format, for a program of one stage and one constant.
FileBytes writeByHand(const Program &program) {
  FileBytes file(128);
  auto align = [&](size_t alignment) { file.resize((file.size() + alignment - 1) / alignment * alignment); };
  proto::Metadata metadata = program.metadata;
  metadata.set_machine(printMachine(program.machine));
  metadata.set_tiles(program.tiles);
  proto::Stage &stage = *metadata.add_stages();
  stage.set_name(program.stages[0].name);
  stage.set_phase(proto::INFERENCE);
  for (const auto &tile : std::get<DeviceStage>(program.stages[0].work).tiles) {
    align(64);
    proto::Section &section = *stage.mutable_device()->add_tiles();
    section.set_offset(file.size());
    for (const Instruction &instruction : tile)
      encode(instruction, file);
    section.set_size(file.size() - section.offset());
  }
  align(4096);
  proto::Constant &constant = *metadata.add_constants();
  constant.set_address(program.constants[0].address);
  constant.mutable_data()->set_offset(file.size());
  constant.mutable_data()->set_size(program.constants[0].bytes.size());
  file.insert(file.end(), program.constants[0].bytes.begin(), program.constants[0].bytes.end());
  align(64);
  constexpr unsigned char magic[] = {0x89, 'T', 'R', 'B', 0x0D, 0x0A, 0x1A, 0x0A, 1, 0, 0, 0, 128, 0, 0, 0};
  std::memcpy(file.data(), magic, sizeof magic);
  setWord(file, schemaHashAt, schemaHash());
  setWord(file, machineHashAt, hashMachine(program.machine));
  setWord(file, metadataOffsetAt, file.size());
  replaceMetadata(file, serialised(metadata));
  seal(file);
  return file;
}

TEST(ProgramFile, IsWhatItsDescriptionSays) {
  Program program = smallestProgram(tiny());
  EXPECT_EQ(bytesOf(program), writeByHand(program));
}

TEST(ProgramFile, LaysItsPartsOutByAlignment) {
  FileBytes file = bytesOf(smallestProgram(tiny()));
  proto::Metadata metadata;
  ASSERT_TRUE(readMetadata(file, metadata));
  EXPECT_EQ(metadata.stages(0).device().tiles(0).offset(), 128u);
  EXPECT_EQ(metadata.stages(0).device().tiles(0).size(), 32u);
  EXPECT_EQ(metadata.stages(0).device().tiles(1).offset(), 192u);
  EXPECT_EQ(metadata.constants(0).data().offset(), 4096u);
  EXPECT_EQ(wordAt(file, metadataOffsetAt), 4160u);
}

} // namespace
} // namespace tilerig::test
