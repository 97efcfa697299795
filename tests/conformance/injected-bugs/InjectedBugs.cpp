// Mutation testing: injects every bug of the catalogue into networks of the zoo and counts how often the bug
// can be injected, how often the analyser or a trap reports it, and how often the first wrong tensor is that
// of the layer with the bug.
//
//   tilerig-injected-bugs squeezenet:48:int8:16 bert_tiny:0:fp16:8 --seeds 5 --table BUGS.md
//
// A case is network, size of its image, precision and tiles. Exit code: 0, or 1 if injecting a bug or running
// the mutant failed with an error. A bug that cannot be injected into any layer is no error.
#include "isa/Base/Support/File.h"
#include "isa/Bugs/Catalogue.h"
#include "models/Zoo.h"
#include "reference/Tools/Inputs.h"
#include "verify/Check/Injection.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iostream>
#include <sstream>

using namespace tilerig;
using namespace tilerig::verify;

namespace {

struct Case {
  std::string network, precision;
  int64_t size = 0;
  unsigned tiles = 0;
};

// For one bug, the numbers of mutants with each outcome, over all cases and seeds.
struct Tally {
  size_t refused = 0, injected = 0, equivalent = 0, analyser = 0, trap = 0, silent = 0, unfinished = 0;
  size_t inLayer = 0;   // mutants whose first wrong tensor belongs to the layer with the bug
  size_t elsewhere = 0; // mutants whose first wrong tensor belongs to another layer
};

template <class T>
T taken(Result<T> result) {
  if (result)
    return *std::move(result);
  std::cerr << result.error().message() << "\n";
  std::exit(static_cast<int>(exitCodeOf(result.error().kind)));
}

Case parseCase(const std::string &text) {
  std::stringstream parts(text);
  std::string size, tiles;
  Case testCase;
  std::getline(parts, testCase.network, ':');
  std::getline(parts, size, ':');
  std::getline(parts, testCase.precision, ':');
  std::getline(parts, tiles, ':');
  if (tiles.empty())
    throw CLI::ValidationError(text, "is not NETWORK:SIZE:PRECISION:TILES");
  testCase.size = std::stoll(size);
  testCase.tiles = static_cast<unsigned>(std::stoul(tiles));
  return testCase;
}

class Campaign {
public:
  Campaign(const Case &testCase, reference::Threads &threads) : threads(threads) {
    models::ZooOptions zoo;
    zoo.variant.imageSize = testCase.size;
    zoo.foldNorms = true;
    const auto *network = models::findNetwork(testCase.network);
    if (!network)
      throw CLI::ValidationError(testCase.network, "is no network of the zoo");
    const SourceModel source = SourceModel::of(
        testCase.network, taken(models::makeNetwork(*network, zoo, threads)).SerializeAsString());
    TensorMap inputs;
    for (const auto &[name, tensor] : taken(reference::makeInputs(taken(source.forReference()), {}, 1)))
      // Adding an input fails only for a repeated name, and input names are unique.
      (void)inputs.add(name, tensor);
    options.precision = testCase.precision;
    options.machine = taken(loadMachine("tr64"));
    options.program.tiles = testCase.tiles;
    options.keepsOps = true;
    check.emplace(taken(Check::create(source, inputs, options, threads)));
  }

  // Injects the bug into a layer and runs the mutant. Returns false on an error; true if the mutant ran, or
  // if the bug cannot be injected into any layer.
  bool tryBug(const Bug &bug, uint64_t seed, Tally &tally) const {
    const auto mutant = injectBug(check->model(), options, BugChoice{.bug = &bug}, seed);
    if (!mutant) {
      ++tally.refused;
      if (mutant.error().kind != ErrorKind::unsupported)
        std::cerr << bug.id << ": " << mutant.error().message() << "\n";
      return mutant.error().kind == ErrorKind::unsupported;
    }
    const auto run =
        check->run(mutant->program, {.threads = 2, .jitter = {}, .faultFile = mutant->faultFile});
    if (!run) {
      std::cerr << printBugChoice(mutant->bug.choice) << ": " << run.error().message() << "\n";
      return false;
    }
    count(*mutant, *run, tally);
    return true;
  }

private:
  void count(const Mutant &mutant, const CheckRun &run, Tally &tally) const {
    const Caught caught = caughtBefore(run);
    const bool equivalent = check->agrees(run);
    ++tally.injected;
    tally.equivalent += equivalent;
    tally.analyser += caught.by == "analyser";
    tally.trap += caught.by == "trap";
    tally.silent += caught.by.empty() && !equivalent;
    tally.unfinished += !run.accumulated.ended;
    if (!equivalent && run.accumulated.ended)
      (firstWrong(run) == mutant.bug.layer ? tally.inLayer : tally.elsewhere) += 1;
  }

  // The layer of the first tensor that is wrong although the inputs of its layer are right; none if there is
  // no such tensor.
  std::optional<uint32_t> firstWrong(const CheckRun &run) const {
    std::optional<uint32_t> first;
    (void)check->judge(run, {}, [&](const CheckedTensor &tensor) {
      if (first || tensor.comparison.status == TensorStatus::match ||
          tensor.comparison.status == TensorStatus::inherited)
        return success();
      for (const proto::Tensor &placement : run.program.metadata.tensors())
        if (placement.name() == tensor.match.name)
          first = placement.layer();
      return success();
    });
    return first;
  }

  reference::Threads &threads;
  CompileOptions options;
  std::optional<Check> check;
};

std::string tableOf(const std::map<std::string_view, Tally> &tallies, const std::string &words) {
  std::string text = fmt::format(
      "# Injected bugs, and what notices them\n\n"
      "> Injected bugs by what notices them, measured by `build/bin/tilerig-injected-bugs {}` on {:%F}.\n\n"
      "Of each bug: how many mutants there are, how many seeds found no layer with a place for "
      "it; how many of the "
      "mutants\nare equivalent (no bit of any tensor differs), are noticed by the analyser or, "
      "where there is a "
      "proof, by a trap, and are\nseen by nothing but numbers; and of those whose numbers "
      "differ, whether the first "
      "wrong tensor is that of the layer with the bug.\n\n"
      "| bug | class | stage | mutants | no place | equivalent | analyser | trap | numbers alone "
      "| did not end | in "
      "its layer | elsewhere |\n|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
      words, fmt::localtime(std::time(nullptr)));
  for (const Bug &bug : bugCatalogue()) {
    if (bug.isInPass())
      continue; // tests/conformance/pass-bugs
    const Tally &tally = tallies.at(bug.id);
    text += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", bug.id,
                        nameOf(bug.bugClass), nameOf(bug.stage), tally.injected, tally.refused,
                        tally.equivalent, tally.analyser, tally.trap, tally.silent, tally.unfinished,
                        tally.inLayer, tally.elsewhere);
  }
  return text;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Mutation testing: injects every bug of the catalogue into networks");
  std::vector<std::string> cases;
  std::string table;
  uint64_t seeds = 1;
  app.add_option("CASE", cases, "case to test, as NETWORK:SIZE:PRECISION:TILES")->required();
  app.add_option("--seeds", seeds, "number of seeds for each bug in each case");
  app.add_option("--table", table, "write the results as a Markdown table to this file");
  CLI11_PARSE(app, argc, argv);
  reference::Threads threads(2);
  std::map<std::string_view, Tally> tallies;
  bool isSound = true;
  double seconds = 0;
  size_t injected = 0;
  for (const std::string &text : cases) {
    const Campaign campaign(parseCase(text), threads);
    const auto begin = std::chrono::steady_clock::now();
    for (const Bug &bug : bugCatalogue())
      for (uint64_t seed = 1; seed <= seeds && !bug.isInPass(); ++seed)
        isSound &= campaign.tryBug(bug, seed, tallies[bug.id]);
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  for (const auto &[id, tally] : tallies)
    injected += tally.injected;
  const std::string written = tableOf(tallies, fmt::format("{} --seeds {}", fmt::join(cases, " "), seeds));
  std::cerr << fmt::format("{} mutants in {:.1f} s\n", injected, seconds);
  if (!table.empty() && !writeText(table, written))
    return 3;
  std::cout << written;
  return isSound ? 0 : 1;
}
