#include "compiler/Planning/Search/SearchKnobs.h"

#include <algorithm>
#include <optional>
#include <random>

namespace tilerig::compiler {

namespace {

class Searcher {
public:
  Searcher(const KnobSpace &space, const CyclesOf &estimated, const CyclesOf &measured,
           const SearchOptions &options)
      : space(space), estimated(estimated), measured(measured), options(options), random(options.seed) {}

  Result<SearchOutcome> search(const Knobs &start) {
    TILERIG_TRY(State now, stateOf(start));
    State best = now;
    outcome.cyclesBefore = now.measured;
    if (auto bound = stateOf(boundAsItIs(start))) {
      now = *std::move(bound);
      best = now.measured < best.measured ? now : best;
    } else if (bound.error().kind == ErrorKind::internal) {
      return bound.error();
    }
    for (; outcome.tried < options.budget && canChange(); ++outcome.tried) {
      TILERIG_TRY(std::optional<State> next, triedFrom(now));
      options.onStep();
      if (!next)
        continue;
      if (next->measured < best.measured) {
        best = *next;
        ++outcome.improved;
      }
      if (next->measured <= now.measured + allowance(now.measured))
        now = *std::move(next);
    }
    outcome.best = std::move(best.knobs);
    outcome.cycles = best.measured;
    return std::move(outcome);
  }

private:
  struct State {
    Knobs knobs;
    uint64_t estimated = 0, measured = 0;
  };

  Result<State> stateOf(const Knobs &knobs) {
    State state{.knobs = knobs};
    TILERIG_TRY(state.estimated, estimated(knobs));
    TILERIG_TRY(state.measured, measured(knobs));
    ++outcome.measured;
    return state;
  }

  // Adds the compiler's present splits and fusion blocks as hints for all layers. Without them, a change of
  // one knob could make the compiler choose all others anew.
  Knobs boundAsItIs(Knobs knobs) const {
    for (const KnobSpace::Layer &layer : space.layers)
      useParts(knobs.strategy.layers[layer.index], knobs.strategy.layers[layer.index].parts);
    for (StrategyLayer &layer : knobs.strategy.layers)
      if (layer.fusionBlock)
        layer.hints = {"fusion_block"};
    return knobs;
  }

  // A slower candidate is still accepted if it takes at most this many cycles more: 2 % at first, later less,
  // at last none.
  uint64_t allowance(uint64_t cycles) const {
    const uint64_t rest = options.budget - outcome.tried - 1;
    return cycles * 20 * rest / (uint64_t{1000} * options.budget);
  }

  Result<std::optional<State>> triedFrom(const State &now) {
    State next{.knobs = now.knobs};
    changeOne(next.knobs);
    const auto cycles = estimated(next.knobs);
    if (!cycles)
      return refusedFor(cycles.error());
    next.estimated = *cycles;
    // Candidates that are estimated to be over 5 % slower are dropped without a run. Estimates may be off by
    // more than 5 %, but by about the same for two candidates that differ in one knob.
    if (next.estimated > now.estimated + now.estimated / 20) {
      ++outcome.dropped;
      return std::optional<State>();
    }
    const auto truth = measured(next.knobs);
    if (!truth)
      return refusedFor(truth.error());
    next.measured = *truth;
    ++outcome.measured;
    return std::optional(std::move(next));
  }

  Result<std::optional<State>> refusedFor(const Error &error) {
    if (error.kind == ErrorKind::internal)
      return error;
    ++outcome.refused;
    return std::optional<State>();
  }

  bool canChange() const {
    return !space.layers.empty() || space.formsBlocks || space.ddrReads.size() > 1 ||
           space.prefetchSteps.size() > 1;
  }

  // Random index below `count`, computed without the standard library's distributions, which may differ
  // between hosts.
  size_t below(size_t count) { return static_cast<size_t>(random() % count); }

  // Draws random changes of a knob until one of them has an effect.
  void changeOne(Knobs &knobs) {
    const Knobs before = knobs;
    // Limits the number of draws, because in some networks hardly any knob can be changed.
    constexpr int attempts = 20;
    for (int i = 0; i < attempts && knobs == before; ++i) {
      const size_t kind = below(10);
      if (kind < 2)
        changeNumber(kind == 0 ? space.ddrReads : space.prefetchSteps,
                     kind == 0 ? knobs.ddrReads : knobs.prefetchSteps);
      else if (kind == 2 && space.formsBlocks && knobs.strategy.layers.size() > 1)
        changeBlocks(knobs.strategy);
      else if (!space.layers.empty())
        changeLayer(knobs.strategy, kind < 5);
    }
  }

  // Makes a random change of the fusion blocks (layers that run band by band, a few rows at a time): fuses a
  // layer with the next one, extends a block by one layer, or dissolves a block.
  void changeBlocks(StrategyFile &strategy) {
    std::vector<StrategyLayer> &layers = strategy.layers;
    size_t first = below(layers.size() - 1), last = first + 1;
    int64_t block = 1;
    if (isFused(layers[first])) {
      block = *layers[first].fusionBlock;
      const auto isIts = [&](size_t i) { return isFused(layers[i]) && layers[i].fusionBlock == block; };
      for (; first > 0 && isIts(first - 1); --first)
        ;
      for (; last < layers.size() && isIts(last); ++last)
        ;
      if (last == layers.size() || below(2) == 0)
        return dissolve(strategy, block);
    } else {
      for (const StrategyLayer &layer : layers)
        block = std::max(block, layer.fusionBlock.value_or(0) + 1);
    }
    fuse(strategy, first, last, block);
  }

  void changeNumber(const std::vector<std::optional<uint32_t>> &values, std::optional<uint32_t> &knob) {
    if (!values.empty())
      knob = values[below(values.size())];
  }

  void changeLayer(StrategyFile &strategy, bool likeAReader) {
    const KnobSpace::Layer &chosen = space.layers[below(space.layers.size())];
    StrategyLayer &layer = strategy.layers[chosen.index];
    if (isFused(layer)) // inside a fusion block, only the last layer has parts to choose
      return;
    std::vector<int64_t> parts = chosen.parts[below(chosen.parts.size())];
    if (likeAReader && !layer.toLayerIds.empty()) {
      const auto reader = static_cast<size_t>(layer.toLayerIds[below(layer.toLayerIds.size())] - 1);
      const std::vector<int64_t> &its = strategy.layers[reader].parts;
      if (std::ranges::find(chosen.parts, its) == chosen.parts.end())
        return;
      parts = its;
    }
    if (parts != layer.parts)
      useParts(layer, std::move(parts));
  }

  const KnobSpace &space;
  const CyclesOf &estimated, &measured;
  const SearchOptions &options;
  std::mt19937_64 random;
  SearchOutcome outcome;
};

} // namespace

Result<SearchOutcome> searchKnobs(const Knobs &start, const KnobSpace &space, const CyclesOf &estimated,
                                  const CyclesOf &measured, const SearchOptions &options) {
  return Searcher(space, estimated, measured, options).search(start);
}

} // namespace tilerig::compiler
