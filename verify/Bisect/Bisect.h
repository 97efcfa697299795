// Finds the first failing layer of a network by checks of shortened networks, as US11308396B2 describes it.
//
// A shortened network is compiled with the strategy and precision of the whole one as far as these fit, and calibrated on
// the same inputs, or by the table of ranges that the user gave. Where the
// failure nevertheless vanishes, the failing layer is the one that the shortest failing network shows: there each layer
// was computed from right inputs (runIsolated() in verify/Check/Device.h).
#pragma once

#include "verify/Bisect/ShortestFailing.h"
#include "verify/Bisect/Subnetworks.h"
#include "verify/Bisect/TrialCache.h"

namespace tilerig::verify {

// A trial of a shortened network or of a subnetwork, as it is reported while the search runs.
struct TrialReport {
  size_t nodes = 0;
  std::string last; // name of the last node
  const TrialResult &result;
  bool isCached = false;
  bool isReduced = false; // a network that is tried to find a small one
  // The network could not be compiled with the whole network's strategy and scales, so the compiler chose them anew.
  bool isOwnStrategy = false;
};

struct BisectOptions {
  TrialOptions trial;
  std::string folder; // for temporary files
  uint64_t key = 0;   // hash of everything that decides the results, besides the model
  std::function<void(const TrialReport &report)> onTrial;
};

struct FailingLayer {
  NodeIndex node = 0; // the node at which the failure shows first
  WrongTensor wrong;  // what is wrong there; without names of the layer if the compiler fails
  // Nodes of the failing layer: those of `wrong` that the model has, or `node` alone.
  std::vector<NodeIndex> nodes;
  // Whether the instruction that made it wrong (`wrong.place`) is one of the whole network's program; otherwise it is one of
  // the shortest failing network's.
  bool isPlaceOfWhole = false;
};

// What is wrong first in a network, by the order of nodes, and the node that computes it. `wrong` points into the result of
// the trial.
struct FirstWrong {
  NodeIndex node;
  const WrongTensor *wrong;
};
std::optional<FirstWrong> firstWrong(const Subnetworks &subnetworks, const TrialResult &result);

struct BisectResult {
  TrialResult whole; // of the whole network
  // The search and what it found; empty if the whole network does not fail.
  std::optional<ShortestFailing> search;
  TrialResult shortest; // of the shortest failing network
  FailingLayer layer;

  // Whether the failing layer shows only in longer networks than the one that ends with it.
  bool vanishes() const { return search && search->length > layer.node + 1; }
};

// Runs the trials of one network: remembers their results, counts them, and gives each shortened network the whole one's
// strategy.
class Trials {
public:
  Trials(const Subnetworks &subnetworks, const TensorMap &inputs, BisectOptions options, TrialCache cache)
      : subnetworks(subnetworks), inputs(inputs), options(std::move(options)), cache(std::move(cache)),
        strategy(this->options.trial.compile.program.strategy) {}

  // The trial of the whole network, which must be the first.
  Result<TrialResult> tryWhole(const SourceModel &source);
  Result<TrialResult> tryShortened(size_t length);
  // The trial of a network that was made from some of the nodes. Ranges for 8-bit types are calibrated on its own inputs.
  Result<TrialResult> tryReduced(const SourceModel &model, const TensorMap &inputs,
                                 const std::vector<NodeIndex> &nodes);

  // The options of the trial of a network with these nodes: those parts of strategy and precision that fit.
  Result<TrialOptions> optionsFor(const std::vector<NodeIndex> &nodes) const;
  // The options of the last trial, after parts that did not fit were given up.
  const TrialOptions &lastOptions() const { return last; }
  // Compilations, runs of a program, and trials that were found among earlier results.
  size_t compiles() const { return compilations; }
  size_t runs() const { return programRuns; }
  size_t cached() const { return reused; }

private:
  Result<TrialResult> attempt(const SourceModel &model, const TensorMap &inputs,
                              const std::vector<NodeIndex> &nodes, TrialOptions fitted);
  Result<TrialResult> attemptWith(const SourceModel &model, const TensorMap &inputs,
                                  const TrialOptions &options, const std::vector<NodeIndex> &nodes,
                                  bool isOwnStrategy);
  Result<std::string> precisionFor(const std::vector<NodeIndex> &nodes) const;

  const Subnetworks &subnetworks;
  const TensorMap &inputs;
  BisectOptions options;
  TrialCache cache;
  TrialOptions last;
  // The strategy of the whole network; the one that the user gave if it cannot be compiled.
  compiler::StrategyFile strategy;
  FailureKind failure = FailureKind::none; // of the whole network
  bool isReducing = false;
  size_t compilations = 0, programRuns = 0, reused = 0;
};

Result<BisectResult> bisect(const SourceModel &source, const Subnetworks &subnetworks, Trials &trials);

} // namespace tilerig::verify
