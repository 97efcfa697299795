#include "verify/Bisect/Bisect.h"

#include "compiler/Planning/Quantisation/Precision.h"
#include "isa/Base/Support/Hash.h"
#include "isa/Base/Support/StrictJson.h"

#include <algorithm>
#include <fmt/core.h>
#include <numeric>
#include <set>

namespace tilerig::verify {

namespace {

std::vector<NodeIndex> firstNodes(size_t length) {
  std::vector<NodeIndex> nodes(length);
  std::iota(nodes.begin(), nodes.end(), NodeIndex(0));
  return nodes;
}

// The nodes of a layer, ascending; the layer may also have been made from nodes that are not numbered.
std::vector<NodeIndex> nodesOf(const Subnetworks &subnetworks, const WrongTensor &wrong) {
  std::set<NodeIndex> nodes;
  for (const std::string &name : wrong.nodes)
    if (const auto index = subnetworks.nodeNamed(name))
      nodes.insert(*index);
  return {nodes.begin(), nodes.end()};
}

// The node that computes a wrong tensor: its producer or, for a tensor that only the program has, the last node of its
// layer.
std::optional<NodeIndex> nodeOf(const Subnetworks &subnetworks, const WrongTensor &wrong) {
  for (const std::string &value : {wrong.tensor, wrong.layer})
    if (const auto producer = subnetworks.producerOf(value))
      return producer;
  const std::vector<NodeIndex> nodes = nodesOf(subnetworks, wrong);
  return nodes.empty() ? std::nullopt : std::optional(nodes.back());
}

// Whether an earlier tensor may be the first wrong one of the whole network, too: the emitted model is wrong, and the tensor was not
// judged there.
bool mayBeFirst(const FirstWrong &earlier, const FirstWrong &place, const TrialResult &whole) {
  return earlier.node < place.node && earlier.wrong->by == "emitted" && place.wrong->by == "emitted" &&
         std::ranges::find(whole.emittedRight, earlier.wrong->tensor) == whole.emittedRight.end();
}

// Whether a shortened network fails as the whole one does. `place` is what is wrong first in the whole network, if that is
// known: then a shortened network must fail in the same node, in another node of the same layer, or in one that the whole
// network does not show.
PrefixOutcome outcomeOf(const Subnetworks &subnetworks, const TrialResult &result, const TrialResult &whole,
                        const std::optional<FirstWrong> &place) {
  if (result.failure == FailureKind::none)
    return PrefixOutcome::passes;
  if (!areAlike(result, whole))
    return PrefixOutcome::undecided;
  const auto first = firstWrong(subnetworks, result);
  if (!place || !first || first->node == place->node ||
      std::ranges::binary_search(nodesOf(subnetworks, *place->wrong), first->node) ||
      mayBeFirst(*first, *place, whole))
    return PrefixOutcome::fails;
  return PrefixOutcome::failsElsewhere;
}

// The failing layer: that of the whole network or, if the whole network does not show it, of the shortest failing one.
// `length` is that of the shortest failing network.
FailingLayer failingLayer(const Subnetworks &subnetworks, const std::optional<FirstWrong> &place,
                          const TrialResult &shortest, size_t length) {
  const auto first = firstWrong(subnetworks, shortest);
  FailingLayer layer;
  layer.node = first ? first->node : place ? place->node : length - 1;
  if (first)
    layer.wrong = *first->wrong;
  else if (place)
    layer.wrong = *place->wrong;
  layer.isPlaceOfWhole = length == subnetworks.size();
  if (place && place->wrong->place && place->wrong->layer == layer.wrong.layer) {
    layer.wrong.place = place->wrong->place;
    layer.wrong.tensor = place->wrong->tensor;
    layer.isPlaceOfWhole = true;
  }
  layer.nodes = nodesOf(subnetworks, layer.wrong);
  if (layer.nodes.empty())
    layer.nodes = {layer.node};
  return layer;
}

} // namespace

std::optional<FirstWrong> firstWrong(const Subnetworks &subnetworks, const TrialResult &result) {
  std::optional<FirstWrong> first;
  for (const WrongTensor &wrong : result.wrong)
    if (const auto node = nodeOf(subnetworks, wrong); node && (!first || *node < first->node))
      first = FirstWrong{*node, &wrong};
  return first;
}

// The entries of the whole network's strategy for layers whose nodes are all there.
static compiler::StrategyFile strategyFor(const Subnetworks &subnetworks, const std::vector<NodeIndex> &nodes,
                                          const compiler::StrategyFile &whole) {
  const auto isThere = [&](const std::string &name) {
    const auto index = subnetworks.nodeNamed(name);
    return index && std::ranges::binary_search(nodes, *index);
  };
  compiler::StrategyFile strategy;
  for (const compiler::StrategyLayer &layer : whole.layers)
    if (isThere(layer.firstOnnxOp) && isThere(layer.lastOnnxOp))
      strategy.layers.push_back(layer);
  return strategy;
}

// The precision plan without the names that only other parts of the network have, as the path of a file in the folder; or
// the option itself, if it names a precision.
Result<std::string> Trials::precisionFor(const std::vector<NodeIndex> &nodes) const {
  const std::string &plan = options.trial.compile.precision;
  if (compiler::parsePrecision(plan))
    return plan;
  TILERIG_TRY(Json json, readStrictJson(plan));
  if (!json.is_object() || !json.contains("layers") || !json["layers"].is_object())
    return plan;
  std::set<std::string> names;
  for (const NodeIndex index : nodes) {
    names.insert(subnetworks.nameOf(index));
    names.insert(subnetworks.node(index).output().begin(), subnetworks.node(index).output().end());
    names.insert(subnetworks.node(index).input().begin(), subnetworks.node(index).input().end());
  }
  Json layers = Json::object();
  for (const auto &[name, precision] : json["layers"].items())
    if (names.contains(name))
      layers[name] = precision;
  json["layers"] = std::move(layers);
  const std::string text = json.dump(2);
  const std::string path = fmt::format("{}/precision-{:016x}.json", options.folder, hashText(text));
  TILERIG_CHECK_OK(writeText(path, text));
  return path;
}

Result<TrialOptions> Trials::optionsFor(const std::vector<NodeIndex> &nodes) const {
  TrialOptions own = options.trial;
  if (nodes.size() == subnetworks.size())
    return own;
  own.compile.program.strategy = strategyFor(subnetworks, nodes, strategy);
  TILERIG_TRY(own.compile.precision, precisionFor(nodes));
  return own;
}

Result<TrialResult> Trials::tryWhole(const SourceModel &source) {
  const std::vector<NodeIndex> nodes = firstNodes(subnetworks.size());
  TrialOptions whole = options.trial;
  whole.replacesFirst = true;
  TILERIG_TRY(TrialResult result, attemptWith(source, inputs, whole, nodes, false));
  failure = result.failure;
  if (result.wrongUsage)
    return *result.wrongUsage;
  if (!result.strategy.empty()) {
    TILERIG_TRY(strategy, compiler::parseStrategy(result.strategy));
  }
  // The same bug in the same layer, with the same parameters, is injected into the shortened networks.
  if (!result.injected.empty()) {
    options.trial.inject = result.injected;
    options.trial.injectLayer = result.injectedIdentity;
    if (options.trial.compile.passBug) {
      TILERIG_TRY(options.trial.compile.passBug, parseBugChoice(result.injected));
    }
  }
  return result;
}

Result<TrialResult> Trials::tryShortened(size_t length) {
  TILERIG_TRY(const SourceModel model, subnetworks.shortened(length));
  TILERIG_TRY(const TensorMap own, Subnetworks::inputsOf(model, inputs));
  const std::vector<NodeIndex> nodes = firstNodes(length);
  TILERIG_TRY(TrialOptions fitted, optionsFor(nodes));
  return attempt(model, own, nodes, std::move(fitted));
}

// A bug with fewer and fewer details: without parameters, without its layer, and without both.
static std::vector<std::string> looserBugs(const std::string &text) {
  std::vector<std::string> bugs;
  const auto choice = text.empty() ? Result<BugChoice>(BugChoice()) : parseBugChoice(text);
  if (!choice || !choice->bug)
    return bugs;
  for (const auto &[values, layer] : {std::pair{false, true}, {true, false}, {false, false}}) {
    BugChoice looser = *choice;
    if (!values)
      looser.values.clear();
    if (!layer)
      looser.layer.clear();
    bugs.push_back(printBugChoice(looser));
  }
  return bugs;
}

Result<TrialResult> Trials::tryReduced(const SourceModel &model, const TensorMap &own,
                                       const std::vector<NodeIndex> &nodes) {
  TILERIG_TRY(TrialOptions fitted, optionsFor(nodes));
  fitted.compile.calibration.clear();
  isReducing = true;
  TILERIG_TRY(TrialResult result, attempt(model, own, nodes, fitted));
  // Names and numbers of layers and instructions, by which a bug is injected, may not fit the reduced network.
  for (const std::string &bug : looserBugs(fitted.inject)) {
    if (result.notInjected.empty())
      break;
    fitted.inject = bug;
    if (fitted.compile.passBug) {
      TILERIG_TRY(fitted.compile.passBug, parseBugChoice(bug));
    }
    TILERIG_TRY(result, attempt(model, own, nodes, fitted));
  }
  if (!result.injected.empty())
    last.inject = result.injected; // with all parameters
  return result;
}

// If the network cannot be compiled with the strategy and the scales of the whole one, lets the compiler choose its own.
Result<TrialResult> Trials::attempt(const SourceModel &model, const TensorMap &own,
                                    const std::vector<NodeIndex> &nodes, TrialOptions fitted) {
  TILERIG_TRY(TrialResult result, attemptWith(model, own, fitted, nodes, false));
  const bool isGiven = !fitted.compile.program.strategy.layers.empty() || !fitted.compile.calibration.empty();
  if (result.failure == FailureKind::compileError && failure != FailureKind::compileError && isGiven) {
    fitted.compile.program.strategy = {};
    fitted.compile.calibration.clear();
    TILERIG_TRY(result, attemptWith(model, own, fitted, nodes, true));
  }
  last = std::move(fitted);
  return result;
}

static uint64_t hashOf(const TensorMap &tensors) {
  uint64_t hash = 0;
  for (const NamedTensor &tensor : tensors)
    hash = combineHashes(hash, combineHashes(hashText(tensor.name), hashBytes(tensor.tensor.bytes())));
  return hash;
}

Result<TrialResult> Trials::attemptWith(const SourceModel &model, const TensorMap &own,
                                        const TrialOptions &with, const std::vector<NodeIndex> &nodes,
                                        bool isOwnStrategy) {
  uint64_t key = combineHashes(options.key, hashBytes(model.content()));
  for (const uint64_t hash : {hashText(model.dataFolder()), hashOf(own),
                              hashText(compiler::printStrategy(with.compile.program.strategy)),
                              hashText(with.inject), uint64_t(with.compile.calibration.empty())})
    key = combineHashes(key, hash);
  const TrialResult *known = cache.find(key);
  TrialResult result;
  if (known) {
    result = *known;
    ++reused;
  } else {
    TILERIG_TRY(result, runTrial(model, own, with));
    TILERIG_CHECK_OK(cache.add(key, result));
    ++compilations;
    programRuns += !isOfCompiler(result.failure) && result.notInjected.empty();
  }
  if (options.onTrial)
    options.onTrial({.nodes = nodes.size(),
                     .last = subnetworks.nameOf(nodes.back()),
                     .result = result,
                     .isCached = known != nullptr,
                     .isReduced = isReducing,
                     .isOwnStrategy = isOwnStrategy});
  return result;
}

Result<BisectResult> bisect(const SourceModel &source, const Subnetworks &subnetworks, Trials &trials) {
  BisectResult result;
  TILERIG_TRY(result.whole, trials.tryWhole(source));
  if (result.whole.failure == FailureKind::none)
    return result;
  const std::optional<FirstWrong> place = firstWrong(subnetworks, result.whole);
  std::map<size_t, TrialResult> tried = {{subnetworks.size(), result.whole}};
  const auto tryPrefix = [&](size_t length) -> Result<PrefixOutcome> {
    TILERIG_TRY(tried[length], trials.tryShortened(length));
    return outcomeOf(subnetworks, tried[length], result.whole, place);
  };
  const auto expected = place ? std::optional(place->node + 1) : std::nullopt;
  TILERIG_TRY(result.search, findShortestFailing(subnetworks.size(), expected, tryPrefix));
  result.shortest = tried.at(result.search->length);
  result.layer = failingLayer(subnetworks, place, result.shortest, result.search->length);
  return result;
}

} // namespace tilerig::verify
