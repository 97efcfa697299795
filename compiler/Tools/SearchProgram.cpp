#include "compiler/Tools/SearchProgram.h"

#include "compiler/Processes/ScratchFolder.h"
#include "compiler/Reports/Cost/RunProgram.h"
#include "compiler/Tile/Ops/Split.h"
#include "compiler/Tile/Plan/Strategies.h"
#include "isa/Analyser/Analyser.h"
#include "isa/Base/Support/Progress.h"
#include "isa/Program/Writer.h"

#include <fmt/core.h>
#include <set>

namespace tilerig::compiler {

namespace {

// How many elements of an operation's result the tile with the most elements computes.
uint64_t largestShare(const Split &split, const DeviceOp &deviceOp, const std::vector<int64_t> &shape,
                      unsigned tiles) {
  uint64_t most = 0;
  for (const Box &box : boxesOf(split, deviceOp, shape, tiles))
    most = std::max(most, box.elements());
  return most;
}

// Splits worth trying for an operation: the 16 splits whose largest part is smallest. For each number of
// tiles that none of these 16 uses, also the split with the smallest largest part, as small layers may be
// faster on fewer tiles.
std::vector<std::vector<int64_t>> partsWorthTrying(const DeviceOp &deviceOp,
                                                   const std::vector<DeviceTensor> &tensors, unsigned tiles) {
  struct Cut {
    uint64_t share;
    int64_t tiles;
    std::vector<int64_t> parts;
  };
  const std::vector<int64_t> &shape = tensors[deviceOp.result].shape;
  std::vector<Cut> cuts;
  for (const Split &split : possibleSplits(deviceOp, shape, tiles))
    if (std::ranges::all_of(boxesOf(split, deviceOp, shape, tiles),
                            [&](const Box &box) { return isComputable(deviceOp, tensors, box); }))
      cuts.push_back({largestShare(split, deviceOp, shape, tiles), split.tiles(), split.parts});
  std::ranges::stable_sort(cuts, {}, &Cut::share);
  std::vector<std::vector<int64_t>> parts;
  std::set<int64_t> seen;
  constexpr size_t smallest = 16;
  for (const Cut &cut : cuts)
    if (parts.size() < smallest || seen.insert(cut.tiles).second) {
      seen.insert(cut.tiles);
      parts.push_back(cut.parts);
    }
  return parts;
}

// The values that the search may try for splits and for the order of loads. Splits are searched only for
// layers that are a single device operation, so that one list of parts applies to the whole layer.
KnobSpace spaceOf(const DeviceNetwork &network, const ProgramOptions &options) {
  KnobSpace space{.formsBlocks = true,
                  .ddrReads = {std::nullopt, 0, 16, 24, 32, 40, 48, 64},
                  .prefetchSteps = {1, 2, 3, 4, 6, 8, 16, UINT32_MAX}};
  std::vector<const DeviceOp *> deviceOps(network.layers.size());
  std::vector<unsigned> counts(network.layers.size());
  for (const NetworkStep &step : network.steps)
    if (const DeviceOp *deviceOp = std::get_if<DeviceOp>(&step)) {
      deviceOps[deviceOp->layer] = deviceOp;
      ++counts[deviceOp->layer];
    }
  for (const StrategyLayer &layer : options.strategy.layers)
    if (!layer.hints.empty() && layer.id >= 1 && layer.id <= static_cast<int64_t>(counts.size()))
      counts[static_cast<size_t>(layer.id - 1)] = 0;
  for (size_t i = 0; i < deviceOps.size(); ++i)
    if (counts[i] == 1)
      if (auto parts = partsWorthTrying(*deviceOps[i], network.tensors, options.tiles); parts.size() > 1)
        space.layers.push_back({i, std::move(parts)});
  return space;
}

ProgramOptions with(ProgramOptions options, const Knobs &knobs) {
  options.strategy = knobs.strategy;
  options.ddrReads = knobs.ddrReads;
  options.prefetchSteps = knobs.prefetchSteps.value_or(options.prefetchSteps);
  return options;
}

} // namespace

Result<ProgramSearch> searchProgram(const DeviceNetwork &network, const Machine &machine,
                                    ProgramOptions options, unsigned budget, uint64_t seed) {
  TILERIG_TRY(options.strategy, matchStrategy(options.strategy, strategyTargets(network)));
  TILERIG_TRY(const ScratchFolder folder, ScratchFolder::create());
  const std::string file = folder.path() + "/tried.trb";
  Program last; // the program whose cycles were estimated last; the next call measures it
  const CyclesOf estimated = [&](const Knobs &knobs) -> Result<uint64_t> {
    ProgramOptions its = with(options, knobs);
    its.proves = false;
    TILERIG_TRY(GeneratedProgram program, generateProgram(network, machine, its));
    last = std::move(program.program);
    return program.expectedCycles;
  };
  const CyclesOf measured = [&](const Knobs &) -> Result<uint64_t> {
    if (const Status proved = prove(last); !proved)
      return internalError("the program search", proved.error().message());
    TILERIG_CHECK_OK(writeProgram(last, file));
    return emulatedCycles(file);
  };
  Knobs start{.ddrReads = options.ddrReads, .prefetchSteps = options.prefetchSteps};
  TILERIG_TRY(const GeneratedProgram first, generateProgram(network, machine, options));
  start.strategy = first.strategy;
  Progress progress("search", budget);
  TILERIG_TRY(SearchOutcome outcome,
              searchKnobs(start, spaceOf(network, options), estimated, measured,
                          {.budget = budget, .seed = seed, .onStep = [&] { progress.advance(); }}));
  ProgramOptions bestOptions = with(options, outcome.best);
  return ProgramSearch{std::move(bestOptions), std::move(outcome)};
}

std::string describeSearch(const ProgramSearch &search) {
  const SearchOutcome &outcome = search.outcome;
  const double gain =
      100.0 * (1.0 - static_cast<double>(outcome.cycles) / static_cast<double>(outcome.cyclesBefore));
  std::string text = fmt::format(
      "search: {} cycles instead of {}, {:.1f} % fewer; of {} candidates, {} could not be compiled, {} were "
      "estimated to be slower, and {} were run on the emulator\n",
      outcome.cycles, outcome.cyclesBefore, gain, outcome.tried, outcome.refused, outcome.dropped,
      outcome.tried - outcome.refused - outcome.dropped);
  text +=
      "to compile this program without a search, use --strategy FILE, with the file that --strategy-to writes";
  if (search.options.ddrReads)
    text += fmt::format(", --ddr-reads {}", *search.options.ddrReads);
  if (search.options.prefetchSteps != UINT32_MAX)
    text += fmt::format(", --prefetch {}", search.options.prefetchSteps);
  return text + "\n";
}

} // namespace tilerig::compiler
