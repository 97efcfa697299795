// `tilerig asm`: assembles text to a program file. The file contains the analyser's proof that every
// execution computes the same bits, or a mark that it was written without the proof on request. Problems of a
// program are listed with the lines of the text to which they refer.
#include "isa/Analyser/Analyser.h"
#include "isa/Assembly/Parser.h"
#include "isa/Base/CommandLine/CommandLine.h"
#include "isa/Base/Support/File.h"
#include "isa/Base/Support/Json.h"
#include "isa/Base/Support/Printable.h"
#include "isa/Program/Verify.h"
#include "isa/Program/Writer.h"
#include "isa/RunPlan/RunPlan.h"

#include <algorithm>
#include <fmt/format.h>
#include <iostream>
#include <numeric>

namespace tilerig {
namespace {

struct AsmOptions {
  std::string file, output, machine;
  bool allowUnproved = false, json = false;
};

// ---- printing the problems of a program as text and as JSON ----

// The line of an instruction in the text; 0 for host stages and for halts that the assembler added.
uint32_t lineOf(const Assembly &assembly, const Place &place) {
  return place.host ? 0 : assembly.lines[place.stage][place.tile][place.instruction];
}

std::string positionOf(const Assembly &assembly, const std::string &file, const Place &place) {
  uint32_t line = lineOf(assembly, place);
  return line ? fmt::format("{}:{}: ", file, line) : file + ": ";
}

std::string asText(const Problem &problem, const Assembly &assembly, const std::string &file) {
  std::string text = problem.places.empty() ? file + ": " : positionOf(assembly, file, problem.places[0]);
  text += fmt::format("{}: {}\n", nameOf(problem.kind), printable(problem.text));
  for (const Place &place : problem.places)
    text += fmt::format("    {}{}\n", positionOf(assembly, file, place), describe(place, assembly.program));
  return text;
}

Json asJson(const Place &place, const Assembly &assembly) {
  Json json = {{"stage", place.stage}};
  if (place.host)
    return json;
  const auto &code = std::get<DeviceStage>(assembly.program.stages[place.stage].work).tiles[place.tile];
  json["tile"] = place.tile;
  json["engine"] = EnumNames<Engine>::values[static_cast<size_t>(place.engine)];
  json["instruction"] = place.instruction;
  json["mnemonic"] = mnemonicOf(code[place.instruction]);
  json["operand"] = place.operand;
  json["layer"] = layerNumber(place.layer);
  json["line"] = lineOf(assembly, place);
  return json;
}

Json asJson(const Problem &problem, const Assembly &assembly) {
  Json json = {{"kind", nameOf(problem.kind)}, {"text", problem.text}};
  if (problem.bytes.size() > 0) {
    json["memory"] = describeMemory(problem.memory);
    json["bytes"] = {problem.bytes.begin, problem.bytes.end};
  }
  json["places"] = Json::array();
  for (const Place &place : problem.places)
    json["places"].push_back(asJson(place, assembly));
  return json;
}

// ---- the command `tilerig asm`: assembling, proving and writing the program ----

uint64_t countInstructions(const Program &program) {
  uint64_t count = 0;
  for (const Stage &stage : program.stages)
    if (const auto *work = std::get_if<DeviceStage>(&stage.work))
      for (const auto &code : work->tiles)
        count += code.size();
  return count;
}

uint64_t countWide(const Program &program) {
  uint64_t count = 0;
  if (program.proof)
    for (const proto::Wide &wide : program.proof->wide())
      count += static_cast<uint64_t>(wide.instructions_size());
  return count;
}

std::string plural(uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string proofText(const AsmOptions &options, const Program &program, uint64_t problems) {
  if (program.proof)
    return "proved" + (countWide(program) ? ", " + plural(countWide(program), "instruction") +
                                                " with accumulators that may overflow"
                                          : std::string());
  return options.output.empty()
             ? plural(problems, "problem")
             : plural(problems, "problem") +
                   ", written without a proof that the program is free of races: it runs in timed mode only";
}

void report(const AsmOptions &options, const Assembly &assembly, const Analysis &analysis, uint64_t problems,
            const std::optional<Error> &refusal) {
  const Program &program = assembly.program;
  if (options.json) {
    Json json = {{"output", refusal || options.output.empty() ? Json() : Json(options.output)},
                 {"machine", program.machine.name},
                 {"tiles", program.tiles},
                 {"stages", program.stages.size()},
                 {"instructions", countInstructions(program)},
                 {"proved", program.proof.has_value()},
                 {"wide", countWide(program)},
                 {"problem_count", problems},
                 {"problems", Json::array()}};
    for (const Problem &problem : analysis.problems)
      json["problems"].push_back(asJson(problem, assembly));
    if (refusal)
      json["error"] = {{"kind", "invalidInput"},
                       {"place", refusal->place},
                       {"what", refusal->what},
                       {"remedy", refusal->remedy}};
    std::cout << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
    return;
  }
  for (const Problem &problem : analysis.problems)
    std::cerr << asText(problem, assembly, options.file);
  if (refusal)
    std::cerr << "tilerig asm: " << printable(refusal->message()) << '\n';
  else
    std::cout << fmt::format(
        "{}: {} of {} in {} for {}, {}\n", options.output.empty() ? options.file : options.output,
        plural(countInstructions(program), "instruction"), plural(program.tiles, "tile"),
        plural(program.stages.size(), "stage"), program.machine.name, proofText(options, program, problems));
}

// Assembles the text. Problems that the analyser finds are not returned as an error: all of them are printed,
// and they determine the exit code.
Result<ExitCode> assemble(const AsmOptions &options) {
  TILERIG_TRY(std::string text, readText(options.file));
  TILERIG_TRY(Assembly assembly, parseAssembly(text, options.file));
  Program &program = assembly.program;
  if (!options.machine.empty()) {
    TILERIG_TRY(program.machine, loadMachine(options.machine));
  }
  Analysis analysis;
  if (!prove(program))
    analysis = analyse(program);
  uint64_t problems = std::accumulate(analysis.counts.begin(), analysis.counts.end(), uint64_t{0});
  // A program that breaks the rules of the file format is never written, even if --allow-unproved is given.
  bool legal = problems == 0 || verifyProgram(program);
  bool allowed = options.allowUnproved || program.metadata.allow_unproved();
  std::optional<Error> refusal;
  if (!legal || (problems > 0 && !allowed))
    refusal = invalidInput(
        options.file, plural(problems, "problem") + ", nothing was written",
        legal ? "correct the listed problems, or write the program with --allow-unproved; it then runs in "
                "timed mode only"
              : "correct the listed problems");
  if (problems > 0)
    program.metadata.set_allow_unproved(true);
  if (program.proof && !options.output.empty())
    storeRunPlan(program);
  if (!refusal && !options.output.empty())
    if (auto written = writeProgram(program, options.output); !written)
      refusal = std::move(written).error();
  report(options, assembly, analysis, problems, refusal);
  return refusal ? ExitCode::input : ExitCode::done;
}

} // namespace
} // namespace tilerig

int main(int argc, char **argv) {
  using namespace tilerig;
  CommandLine line(command("asm"), "tilerig asm halo.trasm -o halo.trb");
  AsmOptions options;
  line.options().addOption("FILE", options.file, "assembly text (.trasm)").required();
  line.options().addOption("-o,--output", options.output,
                           "program to write (.trb) (default: only check the text)");
  line.options().addOption("--machine", options.machine,
                           "machine to assemble for (a name or a .json file), instead of the one that the "
                           "text names");
  line.options().addFlag(
      "--allow-unproved", options.allowUnproved,
      "write the program even if the analyser finds problems such as races; it then runs in timed mode only");
  return line.run(argc, argv, [&] {
    options.json = line.json();
    return assemble(options);
  });
}
