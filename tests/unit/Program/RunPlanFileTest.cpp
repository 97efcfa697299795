// A run plan in a program file: it is read only with the program for which it was made. What it says is tested in
// tests/unit/RunPlan.
#include "isa/Base/Support/Hash.h"
#include "isa/Program/Reader.h"
#include "isa/Program/Writer.h"
#include "tests/support/Programs/Forge.h"
#include "tests/support/Programs/SampleProgram.h"

#include <gtest/gtest.h>

namespace tilerig::test {
namespace {

const std::vector<std::byte> someBytes(100, std::byte{7});

Program withPlan() {
  Random random(1);
  Program program = sampleProgram(random, *loadMachine("tiny"));
  program.runPlan = {hashContent(program), someBytes, nullptr};
  return program;
}

std::string refusalOf(const FileBytes &file) {
  const auto program = parseProgramFile(file, nullptr, "p.trb");
  return program ? "" : program.error().message();
}

std::string refusal(const std::function<void(proto::RunPlan &)> &change) {
  return refusalOf(forge(*serialiseProgram(withPlan()),
                         [&](proto::Metadata &metadata) { change(*metadata.mutable_run_plan()); }));
}

TEST(RunPlanInFile, IsReadWithItsProgram) {
  const FileBytes file = *serialiseProgram(withPlan());
  const auto program = parseProgramFile(file, nullptr, "p.trb");
  ASSERT_TRUE(program) << program.error().message();
  ASSERT_TRUE(program->runPlan);
  EXPECT_TRUE(std::ranges::equal(program->runPlan->bytes, someBytes));
  EXPECT_EQ(program->runPlan->contentHash, hashContent(*program));
  EXPECT_EQ(*serialiseProgram(*program), file);
}

TEST(RunPlanInFile, IsRefusedWhenItIsOfAnotherProgramOrMachine) {
  const std::string expected =
      "p.trb: run plan: the plan was made for another program; compile the program again";
  EXPECT_EQ(refusal([](proto::RunPlan &plan) { plan.set_content_hash(1); }), expected);
  EXPECT_EQ(refusal([](proto::RunPlan &plan) { plan.set_machine_hash(1); }), expected);
}

TEST(RunPlanInFile, IsRefusedWhenItWasAltered) {
  FileBytes file = *serialiseProgram(withPlan());
  proto::Metadata metadata;
  ASSERT_TRUE(readMetadata(file, metadata));
  file[metadata.run_plan().data().offset() + 50] ^= std::byte{1};
  EXPECT_EQ(refusalOf(file),
            "p.trb: run plan: the run plan was altered: the bytes do not match the hash in the file's "
            "header; copy or write the file again");
  EXPECT_EQ(
      refusal([](proto::RunPlan &plan) { plan.mutable_data()->set_size(99); }),
      "p.trb: run plan: the run plan was altered: the bytes do not match the hash in the file's header; copy or "
      "write the file again");
}

TEST(RunPlanInFile, OfAnotherVersionCountsAsNone) {
  const FileBytes file = forge(*serialiseProgram(withPlan()), [](proto::Metadata &metadata) {
    metadata.mutable_run_plan()->set_version(runPlanVersion + 1);
  });
  const auto program = parseProgramFile(file, nullptr, "p.trb");
  ASSERT_TRUE(program) << program.error().message();
  EXPECT_FALSE(program->runPlan);
}

TEST(RunPlanInFile, IsNotWrittenWithAProgramThatChangedSince) {
  Program program = withPlan();
  program.metadata.mutable_tensors(0)->set_name("another");
  const FileBytes file = *serialiseProgram(program);
  program.runPlan.reset();
  EXPECT_EQ(file, *serialiseProgram(program));
}

} // namespace
} // namespace tilerig::test
