// Tests of the content hash of a program: what it covers, and that a proof that the program is free of races
// holds only for the hash that the proof names.
#include "isa/Program/Hash.h"
#include "isa/Program/Reader.h"
#include "isa/Program/Verify.h"
#include "isa/Program/Writer.h"
#include "tests/support/Programs/Forge.h"
#include "tests/support/Programs/SampleProgram.h"

#include <functional>
#include <gtest/gtest.h>
#include <set>

namespace tilerig::test {
namespace {

Program base() { return smallestProgram(*loadMachine("tiny")); }

DeviceStage &device(Program &program) { return std::get<DeviceStage>(program.stages[0].work); }

TEST(ContentHash, CoversEverythingThatAProofDependsOn) {
  const std::vector<std::function<void(Program &)>> changes = {
      [](Program &) {},
      [](Program &p) { p.tiles = 1; },
      [](Program &p) { p.stages[0].name = "other"; },
      [](Program &p) { p.stages[0].phase = Phase::initial; },
      [](Program &p) { p.stages.push_back(p.stages[0]); },
      [](Program &p) { p.stages[0].work = proto::HostWork(); },
      [](Program &p) { std::get<Sync>(device(p).tiles[0][0]).pending = 2; },
      [](Program &p) { std::get<Sync>(device(p).tiles[0][0]).layer = 1; },
      [](Program &p) { std::swap(device(p).tiles[0], device(p).tiles[1]); },
      [](Program &p) { device(p).tiles.push_back({Halt()}); },
      [](Program &p) { p.constants[0].address = 64; },
      [](Program &p) { p.constants.clear(); },
      [](Program &p) {
        p.constants[0] = constantOf(128, {std::byte{1}, std::byte{2}});
      },
      [](Program &p) {
        p.constants[0] = constantOf(128, {std::byte{1}, std::byte{2}, std::byte{4}});
      },
      [](Program &p) { p.metadata.mutable_tensors(0)->set_role(proto::OUTPUT); },
      [](Program &p) { p.metadata.mutable_tensors(0)->mutable_pieces(0)->set_address(0); },
      [](Program &p) { *p.metadata.add_tensors() = p.metadata.tensors(0); },
      [](Program &p) { p.metadata.clear_tensors(); },
  };
  std::set<uint64_t> hashes;
  for (const auto &change : changes) {
    Program program = base();
    change(program);
    hashes.insert(hashContent(program));
  }
  EXPECT_EQ(hashes.size(), changes.size());
}

TEST(ContentHash, IgnoresWhatAProofDoesNotDependOn) {
  Program program = base();
  program.metadata.set_producer("another");
  program.metadata.mutable_layers(0)->set_macs(5);
  program.metadata.add_documents()->set_name("strategy");
  program.metadata.set_allow_unproved(true);
  program.machine.name = "other"; // the content hash leaves the machine out, which has a hash of its own
  addProof(program);
  EXPECT_EQ(hashContent(program), hashContent(base()));
}

TEST(ContentHash, IsTheOneInTheFile) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    Program program = sampleProgram(random, *loadMachine("tiny"));
    auto file = serialiseProgram(program);
    ASSERT_TRUE(file) << file.error().message();
    FileBytes sealedAgain = *file;
    seal(sealedAgain); // computes all hashes of the file again, from the description of the format
    EXPECT_EQ(sealedAgain, *file) << "seed " << seed;
    EXPECT_EQ(wordAt(*file, contentHashAt), hashContent(program));
  }
}

FileBytes provedFile() {
  Program program = base();
  addProof(program);
  return *serialiseProgram(program);
}

TEST(Proof, IsReadWithItsProgram) {
  auto program = parseProgramFile(provedFile(), nullptr, "p.trb");
  ASSERT_TRUE(program) << program.error().message();
  EXPECT_TRUE(program->proof);
  EXPECT_FALSE(program->outdatedProof);
  EXPECT_FALSE(program->metadata.has_proof());
}

std::string refusal(const std::function<void(proto::Metadata &)> &change) {
  auto program = parseProgramFile(forge(provedFile(), change), nullptr, "p.trb");
  return program ? "" : program.error().message();
}

TEST(Proof, IsRefusedWhenItIsOfAnotherProgram) {
  EXPECT_EQ(refusal([](proto::Metadata &m) { m.mutable_proof()->set_content_hash(1); }),
            "p.trb: proof: the proof was made for other contents: the program was altered after the proof; "
            "compile the program again, or let the analyser make a new proof");
  EXPECT_EQ(refusal([](proto::Metadata &m) { m.mutable_proof()->set_machine_hash(1); }),
            "p.trb: proof: the proof was made for another machine: the program was altered after the proof; "
            "compile the program again, or let the analyser make a new proof");
  // The content was changed and all hashes of the file recomputed, but the proof still names the old content.
  EXPECT_EQ(refusal([](proto::Metadata &m) { m.mutable_constants(0)->set_address(0); }),
            "p.trb: proof: the proof was made for other contents: the program was altered after the proof; "
            "compile the program again, or let the analyser make a new proof");
  FileBytes file = provedFile();
  file[128 + 5] = std::byte{2}; // alters the field `pending` of an instruction
  seal(file);
  auto program = parseProgramFile(file, nullptr, "p.trb");
  ASSERT_FALSE(program);
  EXPECT_NE(program.error().message().find("proof: the proof was made for other contents"),
            std::string::npos);
}

TEST(Proof, OfAnotherAnalyserVersionCountsAsNone) {
  FileBytes file = forge(
      provedFile(), [](proto::Metadata &m) { m.mutable_proof()->set_analyser_version(analyserVersion + 6); });
  auto program = parseProgramFile(file, nullptr, "p.trb");
  ASSERT_TRUE(program) << program.error().message();
  EXPECT_FALSE(program->proof);
  EXPECT_EQ(program->outdatedProof, analyserVersion + 6);
  EXPECT_EQ(*serialiseProgram(*program), *serialiseProgram(base()));
}

TEST(Proof, IsNotWrittenWithAProgramThatChangedSince) {
  Program program = base();
  addProof(program);
  program.constants[0].address += 64;
  auto file = serialiseProgram(program);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().message(),
            "proof: the proof was made for other contents: the program was altered after the proof; "
            "compile the program again, or let the analyser make a new proof");
  addProof(program);
  EXPECT_TRUE(serialiseProgram(program));
  program.proof->set_analyser_version(analyserVersion + 1);
  EXPECT_FALSE(serialiseProgram(program));
}

TEST(Proof, NamesInstructionsThatHaveAccumulators) {
  auto wide = [](uint32_t stage, uint32_t tile, std::vector<uint32_t> instructions) {
    proto::Wide wide;
    wide.set_stage(stage);
    wide.set_tile(tile);
    wide.mutable_instructions()->Assign(instructions.begin(), instructions.end());
    return wide;
  };
  auto verdict = [](std::vector<proto::Wide> all) {
    Program program = base();
    device(program).tiles[0] = {Matmul(), Sync(), Matmul(), Halt()};
    device(program).tiles[1] = {Conv(), Halt()};
    addProof(program);
    program.proof->clear_wide();
    for (const proto::Wide &one : all)
      *program.proof->add_wide() = one;
    auto status = verifyProof(program, hashContent(program));
    return status ? "" : status.error().message();
  };
  EXPECT_EQ(verdict({wide(0, 0, {0, 2}), wide(0, 1, {0})}), "");
  EXPECT_NE(
      verdict({wide(1, 0, {0})}).find("proof, wide[0]: stage 1, tile 0 has no instructions in this program"),
      std::string::npos);
  EXPECT_NE(verdict({wide(0, 2, {0})}).find("has no instructions in this program"), std::string::npos);
  EXPECT_NE(verdict({wide(0, 0, {1})}).find("instruction 1 is neither matmul nor conv"), std::string::npos);
  EXPECT_NE(verdict({wide(0, 0, {4})}).find("entry 4 must be below 4, the tile's number of instructions"),
            std::string::npos);
  EXPECT_NE(
      verdict({wide(0, 0, {2, 0})})
          .find("entry 0 must be below 4, the tile's number of instructions, and above 2, the entry before"),
      std::string::npos);
  EXPECT_NE(verdict({wide(0, 0, {0, 0})}).find("and above 0, the entry before"), std::string::npos);
  EXPECT_NE(verdict({wide(0, 1, {0}), wide(0, 0, {0})})
                .find("wide[1]: the entry stands after an entry for a later stage"),
            std::string::npos);
}

} // namespace
} // namespace tilerig::test
