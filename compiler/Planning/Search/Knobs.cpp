#include "compiler/Planning/Search/Knobs.h"

#include "compiler/Processes/ScratchFolder.h"
#include "compiler/Processes/StartCommand.h"
#include "isa/Base/Support/File.h"
#include "isa/Base/Support/StrictJson.h"

#include <algorithm>

namespace tilerig::compiler {

void useTiles(StrategyLayer &layer, int64_t tiles) {
  layer.hints = {"tiles"};
  layer.tiles = tiles;
}

void useParts(StrategyLayer &layer, std::vector<int64_t> parts) {
  layer.hints = {"parts"};
  layer.parts = std::move(parts);
  layer.sizes.clear();
}

void leaveOpen(StrategyLayer &layer) { layer.hints.clear(); }

void fuse(StrategyFile &strategy, size_t first, size_t last, int64_t block) {
  for (size_t i = first; i <= last; ++i) {
    strategy.layers[i].hints = {"fusion_block"};
    strategy.layers[i].fusionBlock = block;
  }
}

void dissolve(StrategyFile &strategy, int64_t block) {
  for (StrategyLayer &layer : strategy.layers)
    if (layer.fusionBlock == block) {
      layer.fusionBlock.reset();
      leaveOpen(layer);
    }
}

bool isFused(const StrategyLayer &layer) {
  return layer.fusionBlock && std::ranges::find(layer.hints, "fusion_block") != layer.hints.end();
}

std::vector<std::string> wordsOf(const Knobs &knobs, const std::string &strategyFile) {
  std::vector<std::string> words;
  const auto say = [&](const char *option, const std::string &value) {
    if (!value.empty())
      words.insert(words.end(), {option, value});
  };
  const auto number = [](const auto &value) { return value ? std::to_string(*value) : std::string(); };
  say("--precision", knobs.precision);
  say("--calibration", knobs.calibration);
  say("--batch", number(knobs.batch));
  say("--machine", knobs.machine);
  say("--tiles", number(knobs.tiles));
  say("--ddr-reads", number(knobs.ddrReads));
  say("--prefetch", number(knobs.prefetchSteps));
  if (knobs.pinsWeights)
    words.push_back("--wb-pin-ocm");
  const bool isAsked =
      std::ranges::any_of(knobs.strategy.layers, [](const auto &layer) { return !layer.hints.empty(); });
  say("--strategy", isAsked ? strategyFile : "");
  return words;
}

Result<Trial> tryKnobs(const std::string &tilerig, const std::string &model, const Knobs &knobs) {
  TILERIG_TRY(const ScratchFolder folder, ScratchFolder::create());
  const std::string wanted = folder.path() + "/wanted.json", applied = folder.path() + "/applied.json",
                    program = folder.path() + "/program.trb";
  std::vector<std::string> words = {"compile", model, "-o", program, "--strategy-to", applied};
  for (std::string &word : wordsOf(knobs, wanted))
    words.push_back(std::move(word));
  TILERIG_CHECK_OK(writeText(wanted, printStrategy(knobs.strategy)));
  TILERIG_TRY([[maybe_unused]] const std::string said, startCommand(tilerig, words));
  TILERIG_TRY(const std::string statistics,
              startCommand(tilerig, {"run", program, "--mode", "timed", "--no-values"}));
  TILERIG_TRY(const Json document, parseStrictJson(statistics, tilerig, limitsOfOwnFiles));
  TILERIG_TRY(const auto cycles, (JsonPlace{&document, tilerig}.at("cycles").wholeNumber<uint64_t>()));
  TILERIG_TRY(const std::string text, readText(applied));
  TILERIG_TRY(StrategyFile strategy, parseStrategy(text));
  return Trial{cycles, std::move(strategy)};
}

} // namespace tilerig::compiler
