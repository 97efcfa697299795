// Tests of program files with correct hashes that break a rule of the format: each rule is broken alone.
#include "isa/Program/Layout.h"
#include "isa/Program/Reader.h"
#include "isa/Program/Writer.h"
#include "tests/support/Programs/Forge.h"
#include "tests/support/Programs/SampleProgram.h"

#include <gtest/gtest.h>

namespace tilerig::test {
namespace {

FileBytes validFile() { return *serialiseProgram(smallestProgram(*loadMachine("tiny"))); }

testing::AssertionResult refused(const FileBytes &file, ErrorKind kind, std::string_view reason) {
  auto program = parseProgramFile(file, nullptr, "p.trb");
  if (program)
    return testing::AssertionFailure() << "accepted, where it should say: " << reason;
  const std::string message = program.error().message();
  if (!message.starts_with("p.trb: ") || message.find(reason) == std::string::npos)
    return testing::AssertionFailure() << "says: " << message << "\nand should: " << reason;
  if (program.error().kind != kind)
    return testing::AssertionFailure() << "is of another kind: " << message;
  return testing::AssertionSuccess();
}
testing::AssertionResult refused(const FileBytes &file, std::string_view reason) {
  return refused(file, ErrorKind::invalidInput, reason);
}

FileBytes withWord(size_t offset, uint64_t value) {
  FileBytes file = validFile();
  setWord(file, offset, value);
  sealHeader(file);
  return file;
}

using Change = std::function<void(proto::Metadata &)>;
FileBytes with(const Change &change) { return forge(validFile(), change); }

proto::Section &firstSection(proto::Metadata &metadata) {
  return *metadata.mutable_stages(0)->mutable_device()->mutable_tiles(0);
}

TEST(ForgedProgram, IsAcceptedWhenNothingWasChanged) {
  EXPECT_EQ(with([](proto::Metadata &) {}), validFile());
  EXPECT_TRUE(parseProgramFile(validFile(), nullptr, "p.trb"));
}

TEST(ForgedProgram, IsRefusedForItsHeader) {
  FileBytes file = validFile();
  file[formatVersionAt] = std::byte{2};
  sealHeader(file);
  EXPECT_TRUE(refused(file, ErrorKind::unsupported,
                      "the program was written by a newer version of tilerig in format 2"));
  file[formatVersionAt] = std::byte{0};
  sealHeader(file);
  EXPECT_TRUE(refused(file, "the file claims file format 0, which does not exist"));
  file = validFile();
  file[headerSizeAt] = std::byte{64};
  sealHeader(file);
  EXPECT_TRUE(refused(file, "the header states its size as 64 bytes"));
  file = validFile();
  file[100] = std::byte{1}; // a byte of the header that has to be zero
  sealHeader(file);
  EXPECT_TRUE(refused(file, "the header was altered"));

  EXPECT_TRUE(refused(withWord(schemaHashAt, 1), ErrorKind::unsupported, "another instruction set"));
  EXPECT_TRUE(refused(withWord(machineHashAt, 1),
                      "machine: the machine description does not match the hash in the header"));
  EXPECT_TRUE(refused(withWord(fileSizeAt, 1 << 20), "is truncated"));
  EXPECT_TRUE(refused(withWord(fileSizeAt, 100), "surplus bytes after its end"));
  EXPECT_TRUE(refused(withWord(metadataHashAt, 1), "the metadata was altered"));
  EXPECT_TRUE(refused(withWord(contentHashAt, 1), "the instructions or the tensors were altered"));
}

TEST(ForgedProgram, IsRefusedForWhereItsMetadataLies) {
  uint64_t size = validFile().size();
  for (uint64_t offset : {uint64_t{0}, uint64_t{64}, size, size + 1, UINT64_MAX, UINT64_MAX - 63})
    EXPECT_FALSE(parseProgramFile(withWord(metadataOffsetAt, offset), nullptr, "p.trb")) << offset;
  for (uint64_t bytes : {uint64_t{0}, size, UINT64_MAX})
    EXPECT_TRUE(refused(withWord(metadataSizeAt, bytes), "does not end at the end of the file"));
  // Metadata at an offset inside the header: all hashes are right, but the offset is not.
  FileBytes over = validFile();
  setWord(over, metadataOffsetAt, 64);
  seal(over);
  EXPECT_TRUE(refused(over, "metadata"));
}

TEST(ForgedProgram, IsRefusedForPartsThatLieElsewhere) {
  auto moved = [](uint64_t offset, uint64_t size) {
    return with([=](proto::Metadata &metadata) {
      firstSection(metadata).set_offset(offset);
      firstSection(metadata).set_size(size);
    });
  };
  EXPECT_TRUE(refused(moved(0, 32),
                      "stage 'main', tile 0: the section lies at offset 0 in the file, expected offset 128"));
  EXPECT_TRUE(refused(moved(144, 32), "lies at offset 144")); // misaligned
  EXPECT_TRUE(refused(moved(192, 32), "lies at offset 192")); // unused bytes before the code are not allowed
  EXPECT_TRUE(refused(moved(UINT64_MAX, 32), "expected offset 128"));
  EXPECT_TRUE(refused(moved(128, 0), "tile 0: is empty"));
  EXPECT_TRUE(refused(moved(128, 33), "tile 0")); // half an instruction
  EXPECT_TRUE(refused(moved(128, 64), "tile 0")); // the size of the code must not include the padding
  EXPECT_TRUE(refused(moved(128, 80),
                      "tile 1: the section lies at offset 192 in the file, expected offset 256")); // overlaps
  for (uint64_t size : {uint64_t{1} << 40, UINT64_MAX, UINT64_MAX - 127, uint64_t{INT64_MAX}})
    EXPECT_TRUE(refused(moved(128, size), "do not fit between the offsets 128 and 4160 in the file"));
}

TEST(ForgedProgram, IsRefusedForConstantsThatLieElsewhere) {
  auto moved = [](uint64_t offset, uint64_t size) {
    return with([=](proto::Metadata &metadata) {
      metadata.mutable_constants(0)->mutable_data()->set_offset(offset);
      metadata.mutable_constants(0)->mutable_data()->set_size(size);
    });
  };
  EXPECT_TRUE(refused(moved(4160, 3),
                      "constants[0]: the section lies at offset 4160 in the file, expected offset 4096"));
  EXPECT_TRUE(refused(moved(128, 3), "constants[0]: the section lies at offset 128"));
  EXPECT_TRUE(refused(moved(4096, 0), "constants[0]: is empty"));
  EXPECT_TRUE(refused(moved(4096, 65), "constants[0]: 65 bytes do not fit"));
  EXPECT_TRUE(
      refused(moved(4096, 1),
              "metadata: the padding bytes before this part of the file, from offset 4097 on, are not zero"));
  EXPECT_TRUE(refused(moved(4096, UINT64_MAX - 4095), "constants[0]: "));
  // Two constants that refer to the same bytes of the file.
  EXPECT_TRUE(refused(with([](proto::Metadata &metadata) {
                        *metadata.add_constants() = metadata.constants(0);
                        metadata.mutable_constants(1)->set_address(4096);
                      }),
                      "constants[1]: "));
}

TEST(ForgedProgram, IsRefusedForPaddingThatIsNotZero) {
  FileBytes file = validFile();
  file[160] = std::byte{1};
  EXPECT_TRUE(refused(
      file, "stage 'main', tile 1: the padding bytes before this part of the file, from offset 160 on, "
            "are not zero"));
}

TEST(ForgedProgram, IsRefusedForAnUnreferencedPart) {
  EXPECT_TRUE(refused(with([](proto::Metadata &metadata) { metadata.clear_constants(); }),
                      "metadata: the section lies at offset 4160 in the file, expected offset 256"));
}

TEST(ForgedProgram, IsRefusedForItsInstructions) {
  FileBytes file = validFile();
  file[128] = std::byte{0xEE};
  seal(file);
  EXPECT_TRUE(refused(file, "stage 'main', tile 0, instruction 0"));
  EXPECT_TRUE(refused(file, "0xee is not the opcode of an instruction"));
  file = validFile();
  file[128 + 15] = std::byte{0x80};
  seal(file);
  EXPECT_TRUE(refused(file, "reserved bit 127 is set"));
  file = validFile();
  file[128 + 4] = std::byte{static_cast<uint8_t>(Engine::pod) | static_cast<uint8_t>(Engine::pod) << 3};
  seal(file);
  EXPECT_TRUE(refused(file, "stage 'main', tile 0, instruction 0")); // the engine POD waits for itself
}

TEST(ForgedProgram, IsRefusedForItsMachine) {
  auto machine = [](const std::string &json) {
    return with([&](proto::Metadata &metadata) { metadata.set_machine(json); });
  };
  EXPECT_TRUE(refused(machine(""), "machine"));
  EXPECT_TRUE(refused(machine("{"), "machine"));
  EXPECT_TRUE(refused(machine(printMachine(*loadMachine("tr64"))),
                      "machine: the machine description does not match the hash in the header"));
  EXPECT_TRUE(refused(machine(printMachine(*loadMachine("tiny")) + " "),
                      "machine: the text is not in the form in which tilerig writes a machine description"));
}

TEST(ForgedProgram, IsRefusedForStagesWithoutWork) {
  EXPECT_TRUE(refused(with([](proto::Metadata &metadata) { metadata.mutable_stages(0)->clear_work(); }),
                      "stage 'main': the stage has neither instructions nor a host operator"));
  EXPECT_TRUE(
      refused(with([](proto::Metadata &metadata) { metadata.mutable_stages(0)->set_phase(proto::Phase(7)); }),
              "stage 'main', phase: there is no phase 7"));
}

// A valid file whose serialised metadata are changed to bytes that the protobuf library would not write.
FileBytes withMetadata(const std::function<void(std::string &)> &change) {
  FileBytes file = validFile();
  proto::Metadata metadata;
  readMetadata(file, metadata);
  std::string bytes = serialised(metadata);
  change(bytes);
  replaceMetadata(file, bytes);
  seal(file);
  return file;
}

TEST(ForgedProgram, IsRefusedForMetadataThatAreNoMessage) {
  auto appended = [](std::string tail) { return withMetadata([&](std::string &bytes) { bytes += tail; }); };
  using namespace std::string_literals;
  // The field `producer`, which is a text, encoded as a number.
  EXPECT_TRUE(refused(appended("\x08\x01"s),
                      "the value does not have the wire type that protobuf uses for this field"));
  // A field that lacks its length, because the message ends before it.
  EXPECT_TRUE(refused(appended("\x0a"s), "metadata: the value is not a protobuf message"));
  // A field that states more bytes than the message has left.
  EXPECT_TRUE(refused(appended("\x0a\x7f"s), "metadata: the value is not a protobuf message"));
  EXPECT_TRUE(refused(appended("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s),
                      "the value is not a protobuf message"));
  EXPECT_TRUE(refused(appended("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"s),
                      "the value is not a protobuf message"));
  EXPECT_TRUE(refused(appended("\x00"s), "the value is not a protobuf message")); // field number 0
  EXPECT_TRUE(
      refused(appended("\xfa\x3f\x00"s), "the message has a field 1023 that this version does not know"));
  EXPECT_TRUE(refused(appended("\x0b\x0c"s), "metadata")); // a protobuf group
  EXPECT_TRUE(refused(appended("\x42\x03\xfa\x3f\x00"s), "layers[1]: the message has a field 1023"));
  EXPECT_TRUE(refused(appended("\x42\x03\x12\x01\xff"s), "layers[1].name: is not UTF-8"));
  EXPECT_TRUE(
      refused(appended("\x42\x05\x12\x03\xed\xa0\x80"s), "layers[1].name: is not UTF-8")); // surrogate
}

TEST(ForgedProgram, IsRefusedForMetadataWrittenInAnotherWay) {
  using namespace std::string_literals;
  const char *another = "metadata: the metadata is not in its canonical form";
  EXPECT_TRUE(refused(withMetadata([](std::string &bytes) { bytes += "\x0a\x00"s; }), another)); // a default
  EXPECT_TRUE(
      refused(withMetadata([](std::string &bytes) { bytes += "\x20\x02"s; }), another)); // tiles twice
  EXPECT_TRUE(
      refused(withMetadata([](std::string &bytes) { bytes = "\x20\x82\x00"s + bytes; }), another)); // long 2
}

TEST(ForgedProgram, IsRefusedForMapsOutOfOrder) {
  // Map entries that are not sorted: "b" before "a".
  using namespace std::string_literals;
  auto layer = [](const std::string &entries) {
    return withMetadata([&](std::string &bytes) {
      std::string message = "\x08\x01\x32\x04host"s + entries; // id 1; field `where` is "host"
      bytes += "\x42"s + static_cast<char>(message.size()) + message;
    });
  };
  std::string a("\x52\x06\x0a\x01"
                "a\x12\x01x",
                8),
      b("\x52\x06\x0a\x01"
        "b\x12\x01x",
        8);
  EXPECT_TRUE(parseProgramFile(layer(a + b), nullptr, "p.trb"));
  EXPECT_TRUE(refused(layer(b + a), "canonical form"));
  EXPECT_TRUE(refused(layer(a + a), "canonical form"));
}

TEST(ForgedProgram, IsRefusedForNestingWithoutEnd) {
  // Deeply nested protobuf groups and messages are refused at the first level that the schema does not know.
  EXPECT_TRUE(
      refused(withMetadata([](std::string &bytes) { bytes += std::string(100'000, '\x0b'); }), "metadata"));
  EXPECT_TRUE(refused(withMetadata([](std::string &bytes) {
                        std::string nested;
                        for (int depth = 0; depth < 1000 && nested.size() < 120; ++depth)
                          nested = "\x2a" + std::string(1, static_cast<char>(nested.size())) + nested;
                        bytes += nested;
                      }),
                      "stages[1]"));
}

TEST(ForgedProgram, IsRefusedBeforeItTakesMemoryOutOfProportion) {
  FileBytes file = validFile();
  // An empty layer takes two bytes in the file, but two hundred in memory.
  for (uint64_t count = 0; count <= mostMetadataMessages; ++count)
    file.insert(file.end(), {std::byte{0x42}, std::byte{0}});
  sealMetadata(file);
  sealHeader(file);
  EXPECT_TRUE(
      refused(file, ErrorKind::unsupported, "the metadata consists of more than 4194304 protobuf messages"));
  file.resize(file.size() + mostMetadataBytes);
  sealMetadata(file);
  sealHeader(file);
  EXPECT_TRUE(refused(file, ErrorKind::unsupported, "but at most 134217728 are supported"));

  constexpr uint64_t code = mostInstructionBytes + instructionAlignment;
  proto::Metadata metadata;
  ASSERT_TRUE(readMetadata(validFile(), metadata));
  metadata.clear_constants();
  firstSection(metadata).set_size(code);
  metadata.mutable_stages(0)->mutable_device()->mutable_tiles(1)->set_offset(headerBytes + code);
  file = validFile();
  file.resize(headerBytes);
  file.resize(headerBytes + code + instructionAlignment);
  setWord(file, metadataOffsetAt, file.size());
  replaceMetadata(file, serialised(metadata));
  sealMetadata(file);
  sealHeader(file);
  EXPECT_TRUE(refused(file, ErrorKind::unsupported, "the instructions take more than 268435456 bytes"));
}

} // namespace
} // namespace tilerig::test
