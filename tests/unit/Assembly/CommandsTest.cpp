// Tests of the commands `tilerig asm` and `tilerig disasm`, run as programs.
#include "isa/Base/Support/File.h"
#include "isa/Base/Support/Json.h"
#include "isa/Program/Reader.h"
#include "isa/Program/Writer.h"
#include "tests/support/Folders.h"
#include "tests/support/Programs/HostSamples.h"
#include "tests/support/Programs/SampleProgram.h"
#include "tests/support/RunProgram.h"
#include "tests/support/TemporaryFolder.h"

#include <gtest/gtest.h>

namespace tilerig::test {
namespace {

std::string example(const std::string &name) { return test::examplePrograms() + "/" + name + ".trasm"; }
bool contains(const std::string &text, std::string_view part) { return text.find(part) != text.npos; }

class AssemblyCommands : public testing::Test {
protected:
  static Outcome run(const std::string &command, std::vector<std::string> words) {
    words.insert(words.begin(), commandFolder() + "/tilerig-" + command);
    return runProgram(words);
  }
  Outcome assemble(const std::string &text, std::vector<std::string> words = {}) {
    EXPECT_TRUE(writeText(folder.path("t.trasm"), text));
    words.insert(words.begin(), {folder.path("t.trasm"), "-o", folder.path("t.trb")});
    return run("asm", words);
  }
  std::string bytesOf(const std::string &name) {
    auto bytes = readText(folder.path(name));
    EXPECT_TRUE(bytes);
    return bytes ? *bytes : "";
  }

  TemporaryFolder folder;
};

TEST_F(AssemblyCommands, AssembleAndDisassemble) {
  for (const char *name : {"halo", "every_instruction", "host_stage", "multicast"}) {
    Outcome there = run("asm", {example(name), "-o", folder.path("a.trb")});
    ASSERT_EQ(there.exitCode, 0) << there.errors;
    EXPECT_TRUE(contains(there.output, ", proved")) << there.output;
    ASSERT_EQ(run("disasm", {folder.path("a.trb"), "-o", folder.path("a.trasm")}).exitCode, 0);
    Outcome again = run("asm", {folder.path("a.trasm"), "-o", folder.path("b.trb")});
    ASSERT_EQ(again.exitCode, 0) << again.errors;
    EXPECT_EQ(bytesOf("a.trb"), bytesOf("b.trb")) << name;
    EXPECT_EQ(run("disasm", {folder.path("b.trb")}).output, bytesOf("a.trasm"));
    EXPECT_TRUE(readProgram(folder.path("b.trb"))->proof);
  }
}

TEST_F(AssemblyCommands, ProblemsAreListedByLineAndNothingIsWritten) {
  Outcome outcome = run("asm", {example("halo_without_wait"), "-o", folder.path("h.trb")});
  EXPECT_EQ(outcome.exitCode, 3);
  EXPECT_EQ(outcome.output, "");
  // The message about a race states line, kind and bytes; then line, tile, engine and instruction of both
  // accesses.
  std::string file = example("halo_without_wait");
  EXPECT_TRUE(contains(outcome.errors, file + ":18: race: ")) << outcome.errors;
  EXPECT_TRUE(contains(outcome.errors, "bytes 96..127 of OCM of tile 0")) << outcome.errors;
  EXPECT_TRUE(contains(outcome.errors,
                       file + ":18: stage 'main', tile 0, dma_in, instruction 0 (load, destination)"));
  EXPECT_TRUE(
      contains(outcome.errors, file + ":37: stage 'main', tile 1, dma_in, instruction 3 (load, source)"));
  EXPECT_TRUE(contains(outcome.errors, "3 problems, nothing was written"));
  EXPECT_FALSE(std::filesystem::exists(folder.path("h.trb")));
}

TEST_F(AssemblyCommands, UnprovedProgramsAreMarked) {
  Outcome outcome =
      run("asm", {example("halo_without_wait"), "-o", folder.path("h.trb"), "--allow-unproved"});
  EXPECT_EQ(outcome.exitCode, 0) << outcome.errors;
  EXPECT_TRUE(contains(outcome.output, "3 problems, written without a proof that the program is free of "
                                       "races: it runs in timed mode only"))
      << outcome.output;
  EXPECT_TRUE(contains(outcome.errors, ": race: "));
  auto program = readProgram(folder.path("h.trb"));
  ASSERT_TRUE(program) << program.error().message();
  EXPECT_FALSE(program->proof);
  EXPECT_TRUE(program->metadata.allow_unproved());
  // The disassembled text marks the program as not proved free of races, so no option is needed to assemble
  // it.
  ASSERT_EQ(run("disasm", {folder.path("h.trb"), "-o", folder.path("h.trasm")}).exitCode, 0);
  EXPECT_EQ(run("asm", {folder.path("h.trasm"), "-o", folder.path("i.trb")}).exitCode, 0);
  EXPECT_EQ(bytesOf("h.trb"), bytesOf("i.trb"));
  // With --allow-unproved, a program without problems is still proved free of races, and is not marked as
  // unproved.
  ASSERT_EQ(run("asm", {example("halo"), "-o", folder.path("h.trb"), "--allow-unproved"}).exitCode, 0);
  EXPECT_TRUE(readProgram(folder.path("h.trb"))->proof);
  EXPECT_FALSE(readProgram(folder.path("h.trb"))->metadata.allow_unproved());
}

TEST_F(AssemblyCommands, AsmPrintsJson) {
  auto json =
      nlohmann::json::parse(run("asm", {example("halo"), "-o", folder.path("h.trb"), "--json"}).output);
  EXPECT_EQ(json["output"], folder.path("h.trb"));
  EXPECT_EQ(json["proved"], true);
  EXPECT_EQ(json["instructions"], 20);
  EXPECT_EQ(json["tiles"], 2);
  EXPECT_TRUE(json["problems"].empty());
  EXPECT_FALSE(json.contains("error"));

  Outcome refused = run("asm", {example("halo_without_wait"), "-o", folder.path("i.trb"), "--json"});
  EXPECT_EQ(refused.exitCode, 3);
  EXPECT_EQ(refused.errors, "");
  json = nlohmann::json::parse(refused.output);
  EXPECT_TRUE(json["output"].is_null());
  EXPECT_EQ(json["proved"], false);
  EXPECT_EQ(json["problem_count"], 3);
  EXPECT_EQ(json["error"]["kind"], "invalidInput");
  auto race =
      std::ranges::find_if(json["problems"], [](const auto &problem) { return problem["kind"] == "race"; });
  ASSERT_NE(race, json["problems"].end());
  EXPECT_EQ((*race)["bytes"], (nlohmann::json{96, 128}));
  EXPECT_EQ((*race)["memory"], "OCM of tile 0");
  EXPECT_EQ((*race)["places"][1]["tile"], 1);
  EXPECT_EQ((*race)["places"][1]["engine"], "dma_in");
  EXPECT_EQ((*race)["places"][1]["instruction"], 3);
  EXPECT_EQ((*race)["places"][1]["operand"], "source");
  EXPECT_EQ((*race)["places"][1]["line"], 37);
}

TEST_F(AssemblyCommands, AsmRefusesWithTheReason) {
  Outcome syntax = assemble("halt layer=x\n");
  EXPECT_EQ(syntax.exitCode, 3);
  EXPECT_TRUE(contains(syntax.errors, "t.trasm:1:12: the name 'x' is not defined")) << syntax.errors;
  Outcome illegal = assemble("load source=i8 ddr[0] <4> destination=i8 ocm[0] <5>\nsync engine=pod\nhalt\n");
  EXPECT_EQ(illegal.exitCode, 3);
  EXPECT_TRUE(contains(illegal.errors, "t.trasm:1: illegal_instruction: load: ")) << illegal.errors;
  EXPECT_TRUE(contains(illegal.errors, "t.trasm:2: illegal_instruction: sync: ")) << illegal.errors;
  // An assembly text that cannot be a program is refused, whatever options are given.
  Outcome twice = assemble("halt\nhalt\n", {"--allow-unproved"});
  EXPECT_EQ(twice.exitCode, 3);
  EXPECT_TRUE(contains(twice.errors, "t.trasm:2: instruction_after_halt")) << twice.errors;
  EXPECT_FALSE(contains(twice.errors, "--allow-unproved")) << twice.errors;
  Outcome tiles = assemble(".tiles 5\n");
  EXPECT_EQ(tiles.exitCode, 3);
  EXPECT_TRUE(contains(tiles.errors, "the program uses 5 tiles, but the machine 'tiny' allows 1..4"))
      << tiles.errors;
  EXPECT_EQ(assemble(".tiles 5\nhalt\n", {"--machine", "tr16"}).exitCode, 0);
  EXPECT_EQ(readProgram(folder.path("t.trb"))->machine.name, "tr16");
  EXPECT_EQ(assemble("halt\n", {"--machine", "nothing"}).exitCode, 2);
  EXPECT_EQ(run("asm", {folder.path("absent.trasm")}).exitCode, 3);
  EXPECT_EQ(run("asm", {}).exitCode, 2);
}

// If a host stage lacks an operand, the assembler reports an error of the input, whether it writes the
// program or only checks it.
class HostStages : public AssemblyCommands {
protected:
  void expectRefused(const std::string &text, const std::string &why) {
    std::filesystem::remove(folder.path("t.trb"));
    const Outcome written = assemble(text);
    EXPECT_EQ(written.exitCode, 3) << text;
    EXPECT_TRUE(contains(written.errors, "stage 'host'") && contains(written.errors, why)) << written.errors;
    EXPECT_FALSE(std::filesystem::exists(folder.path("t.trb"))) << text;
    const Outcome checked = run("asm", {folder.path("t.trasm")});
    EXPECT_EQ(checked.exitCode, 3) << text;
    EXPECT_TRUE(contains(checked.errors, why)) << checked.errors;
    EXPECT_EQ(assemble(text, {"--allow-unproved"}).exitCode, 3) << text;
  }
};

TEST_F(HostStages, WithoutInputsAreRefused) {
  auto text = readText(example("host_stage"));
  ASSERT_TRUE(text);
  const std::string inputs = "inputs=[\"negated\"]";
  const size_t at = text->find(inputs);
  ASSERT_NE(at, text->npos);
  expectRefused(text->replace(at, inputs.size(), "inputs=[]"), "TopK needs its first 1 inputs");
}

TEST_F(HostStages, ThatLackOperandsAreRefused) {
  for (const HostSample &sample : hostSamples()) {
    const Outcome sound = assemble(textOf(sample));
    ASSERT_EQ(sound.exitCode, 0) << sound.errors << textOf(sample);
    EXPECT_TRUE(contains(sound.output, ", proved")) << sound.output;
    const size_t least = findHostSignature(sample.kernel)->leastInputs;
    const std::string why = sample.kernel + " needs its first ";
    for (size_t count = 0; count < least; ++count) {
      HostSample few = sample, absent = sample;
      few.inputs.resize(count);
      expectRefused(textOf(few), why);
      absent.inputs[count].reset();
      expectRefused(textOf(absent), why);
    }
    HostSample silent = sample;
    silent.outputs.clear();
    expectRefused(textOf(silent), why);
  }
}

TEST_F(AssemblyCommands, AsmWithoutOutputOnlyChecks) {
  Outcome outcome = run("asm", {example("halo")});
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_TRUE(contains(outcome.output, "halo.trasm: 20 instructions of 2 tiles in 1 stage for tiny, proved"));
  EXPECT_EQ(run("asm", {example("halo_deadlock")}).exitCode, 3);
}

TEST_F(AssemblyCommands, DisasmShowsParts) {
  ASSERT_EQ(run("asm", {example("host_stage"), "-o", folder.path("h.trb")}).exitCode, 0);
  Outcome part = run("disasm", {folder.path("h.trb"), "--stage", "after", "--tile", "0", "--annotate"});
  EXPECT_EQ(part.exitCode, 0);
  EXPECT_TRUE(
      contains(part.output,
               "\n.stage \"after\" inference\n.tile 0\n    ; 0 dma_in half, 112 bytes\n    load layer=2 "))
      << part.output;
  EXPECT_FALSE(contains(part.output, ".machine"));
  EXPECT_EQ(run("disasm", {folder.path("h.trb"), "--stage", "2", "--tile", "0", "--annotate"}).output,
            part.output);
  EXPECT_TRUE(contains(run("disasm", {folder.path("h.trb"), "--stage", "1"}).output, ".host \"TopK\""));

  auto json = nlohmann::json::parse(run("disasm", {folder.path("h.trb"), "--json"}).output);
  EXPECT_EQ(json["stages"].size(), 3u);
  EXPECT_EQ(json["stages"][1]["host"], "TopK");
  const auto &first = json["stages"][2]["tiles"][0]["instructions"][0];
  EXPECT_EQ(first["engine"], "dma_in");
  EXPECT_EQ(first["layer_name"], "half");
  EXPECT_EQ(first["bytes"], 112);
  EXPECT_EQ(first["text"], "load layer=2 source=fp32 ddr[0x3000] <4> destination=fp32 ocm[0x0] <4>");
}

TEST_F(AssemblyCommands, DisasmRefusesWithTheReason) {
  ASSERT_TRUE(writeProgram(smallestProgram(*loadMachine("tiny")), folder.path("p.trb")));
  Outcome stage = run("disasm", {folder.path("p.trb"), "--stage", "other"});
  EXPECT_EQ(stage.exitCode, 2);
  EXPECT_TRUE(contains(stage.errors, "there is no stage 'other'")) << stage.errors;
  EXPECT_EQ(run("disasm", {folder.path("p.trb"), "--tile", "2"}).exitCode, 2);
  EXPECT_EQ(run("disasm", {folder.path("absent.trb")}).exitCode, 3);
  EXPECT_EQ(run("disasm", {example("halo")}).exitCode, 3);
}

} // namespace
} // namespace tilerig::test
