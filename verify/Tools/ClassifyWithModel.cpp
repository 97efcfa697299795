#include "verify/Tools/ClassifyWithModel.h"

#include "isa/Base/Support/Progress.h"
#include "verify/Dumps/RecomputedDump.h"
#include "verify/Inputs/Transpose.h"
#include "verify/Tools/ClassifyReport.h"
#include "verify/Verdict/AcrossLayers.h"
#include "verify/Verdict/JudgePair.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

namespace tilerig::verify {

namespace {

// The pair of each value of the model that the target has. Names of the reference come first: they are usually the model's.
std::map<std::string, const TensorMatch *> pairsOfValues(const Matching &matching,
                                                         const ModelOfDumps &model) {
  std::map<std::string, const TensorMatch *> byName, found;
  for (const auto name : {&TensorMatch::reference, &TensorMatch::target})
    for (const TensorMatch &match : matching.matches)
      if (!match.target.empty() && !(match.*name).empty())
        byName.emplace(match.*name, &match);
  const auto add = [&](const auto &values) {
    for (const std::string &value : values)
      if (const auto entry = byName.find(value); entry != byName.end())
        found.emplace(value, entry->second);
  };
  add(model.inputs());
  add(model.computed());
  add(model.constantValues());
  return found;
}

std::set<std::string> namesOf(const std::map<std::string, const TensorMatch *> &matches) {
  std::set<std::string> names;
  for (const auto &[name, match] : matches)
    names.insert(name);
  return names;
}

// The lowest precision that the types of the dumped tensors show. Floats among them, such as outputs, were computed from those tensors.
// Tensors that the reference has in the same type are integers of the model itself, as of a quantised one.
std::optional<DumpPrecision> lowestPrecision(const DumpPairs &pairs,
                                             const std::map<std::string, const TensorMatch *> &matches) {
  const auto isOfModel = [&](const TensorMatch &match, DType type) {
    const auto reference = pairs.reference.stream(match.reference);
    return reference && reference->dtype() == type;
  };
  std::optional<DumpPrecision> lowest;
  for (const auto &[value, match] : matches)
    if (const auto stream = pairs.target.stream(match->target); stream && !isOfModel(*match, stream->dtype()))
      for (const auto &[type, precision] : {std::pair{DType::f16, DumpPrecision::fp16},
                                            {DType::bf16, DumpPrecision::bf16},
                                            {DType::u16, DumpPrecision::bf16},
                                            {DType::i8, DumpPrecision::eightBits},
                                            {DType::u8, DumpPrecision::eightBits}})
        if (stream->dtype() == type && (!lowest || *lowest < precision))
          lowest = precision;
  return lowest;
}

// The verdict on a tensor that the model computes with a mistake in one node. The classes that make this mistake are weighed by how frequent
// they are among those who make it, and by how likely the classifier takes them to be.
Verdict verdictOf(const ReproducedTensor &reproduced, const Verdict &guessed) {
  constexpr float first = 0.7f, leastGuess = 0.2f;
  Verdict verdict;
  verdict.answer = Answer::named;
  float sum = 0;
  for (size_t i = 0; i < reproduced.classes.size(); ++i) {
    const auto index = static_cast<size_t>(reproduced.classes[i]);
    verdict.probabilities[index] =
        (i == 0 ? first : 1 - first) * std::max(leastGuess, guessed.probabilities[index]);
    sum += verdict.probabilities[index];
  }
  for (float &share : verdict.probabilities)
    share /= sum;
  verdict.bugClass = likeliest(verdict.probabilities, 1).front();
  return verdict;
}

// Refuses scales of tensors that the target does not have as integers.
Status checkScales(const TensorScales &scales, const TensorSource &target, const std::string &place) {
  for (const auto &[name, scale] : scales) {
    if (!target.has(name))
      return usageError(place, fmt::format("the target has no tensor '{}'", name),
                        fmt::format("it has {}", showNames(target.names())));
    TILERIG_TRY(const TensorStream tensor, target.stream(name));
    if (tensor.dtype() != DType::i8 && tensor.dtype() != DType::u8 && tensor.dtype() != DType::i16)
      return usageError(
          place,
          fmt::format("the target's '{}' has the type {}, which has no scale", name, nameOf(tensor.dtype())),
          "give scales of int8, uint8 and int16 only");
  }
  return success();
}

class DumpJudge {
public:
  DumpJudge(const DumpPairs &pairs, const ModelOptions &options, const ModelOfDumps &model,
            const TensorScales &scales)
      : pairs(pairs), options(options), model(model), matches(pairsOfValues(pairs.matching, model)),
        dump(
            model, namesOf(matches), [this](const std::string &value) { return targetOf(value); },
            [this](const std::string &value) { return referenceOf(value); },
            options.precision ? options.precision : lowestPrecision(pairs, matches), scalesOfValues(scales)) {
  }

  Result<ClassifiedDump> judge() {
    TILERIG_TRY(const reference::NamedTensors inputs, modelInputs());
    if (std::ranges::none_of(model.computed(),
                             [&](const std::string &value) { return matches.contains(value); }))
      return invalidInput(options.path, "the model computes none of the target's tensors",
                          "give the model whose tensors were dumped, or pair the names with --map");
    TILERIG_CHECK_OK(dump.recompute(inputs));
    followers = model.followersOf(dump.wrong());
    ClassifiedDump result{Json::array(), {}};
    Progress progress("classify", pairs.matching.matches.size());
    std::set<const TensorMatch *> done;
    const auto add = [&](const TensorMatch &match, Result<Json> record) -> Status {
      TILERIG_CHECK_OK(record);
      done.insert(&match);
      result.failed |= fails(*record);
      result.layers.push_back(*std::move(record));
      progress.advance();
      return success();
    };
    for (const std::string &value : model.computed())
      if (const auto entry = matches.find(value); entry != matches.end() && !done.contains(entry->second))
        TILERIG_CHECK_OK(add(*entry->second, recordOf(value, *entry->second)));
    for (const auto &[value, match] : matches) // constants
      if (dump.tensors().contains(value) && !done.contains(match))
        TILERIG_CHECK_OK(add(*match, recordOf(value, *match)));
    for (const TensorMatch &match : pairs.matching.matches)
      if (!done.contains(&match))
        TILERIG_CHECK_OK(add(match, pairs.classify(match)));
    result.verdict = headline(result.layers);
    result.wrongTensors = wrong.size();
    result.isOverAll = areMany(wrong);
    result.compared = dump.tensors().size();
    result.values = model.computed().size();
    TILERIG_TRY(result.wrongReference, wrongReference(inputs));
    return result;
  }

private:
  // The scales by value of the model.
  TensorScales scalesOfValues(const TensorScales &scales) const {
    TensorScales byValue;
    for (const auto &[value, match] : matches)
      if (const auto scale = scales.find(match->target); scale != scales.end())
        byValue.insert({value, scale->second});
    return byValue;
  }

  Result<std::optional<Tensor>> targetOf(const std::string &value) const {
    const TensorMatch &match = *matches.at(value);
    TILERIG_TRY(Tensor tensor, pairs.target.load(match.target));
    if (!match.transpose.empty()) {
      TILERIG_TRY(tensor, transpose(tensor, match.transpose));
    }
    return std::optional(std::move(tensor));
  }

  Result<std::optional<Tensor>> referenceOf(const std::string &value) const {
    const TensorMatch &match = *matches.at(value);
    if (match.reference.empty())
      return std::optional<Tensor>();
    TILERIG_TRY(Tensor tensor, pairs.reference.load(match.reference));
    return std::optional(std::move(tensor));
  }

  // The first tensor of the reference that the model does not compute from the reference's own tensors: the model, the inputs or the
  // order of the two dumps is wrong then. Empty if there is none.
  Result<std::string> wrongReference(const reference::NamedTensors &inputs) const {
    std::set<std::string> known;
    for (const auto &[value, match] : matches)
      if (!match->reference.empty())
        known.insert(value);
    const LoadTensor load = [this](const std::string &value) { return referenceOf(value); };
    RecomputedDump reference(model, known, load, load, {});
    TILERIG_CHECK_OK(reference.recompute(inputs));
    const std::set<std::string> off = reference.wrong();
    for (const std::string &value : model.computed())
      if (off.contains(value))
        return value;
    return std::string();
  }

  // The model's inputs: of --input, else the target's or the reference's of the type that the model declares.
  Result<reference::NamedTensors> modelInputs() const {
    reference::NamedTensors found;
    for (const std::string &path : options.inputs) {
      TILERIG_TRY(const TensorSource file, TensorSource::open(path));
      const size_t before = found.size();
      for (const std::string &name : model.inputs())
        if (file.has(name) && !found.contains(name)) {
          TILERIG_TRY(Tensor tensor, file.load(name));
          found.emplace(name, std::move(tensor));
        }
      if (found.size() == before)
        return usageError("--input " + path, "the file has no input of the model that is not given already",
                          fmt::format("the model's inputs are {}", showNames(model.inputs())));
    }
    for (const std::string &name : model.inputs()) {
      for (const TensorSource *source : {&pairs.target, &pairs.reference})
        if (source->has(name) && !found.contains(name)) {
          TILERIG_TRY(Tensor tensor, source->load(name));
          if (model.typeOfInput(name) == tensor.dtype())
            found.emplace(name, std::move(tensor));
        }
      if (!found.contains(name))
        return usageError(
            "--model " + options.path,
            fmt::format("neither of the two sets of tensors has the model's input '{}' in its type", name),
            "give it with --input FILE.npz");
    }
    return found;
  }

  // Whether a record makes the command fail: of fused values that only the reference has, nothing is known.
  static bool fails(const Json &record) {
    if (record["own"].is_object())
      return record["own"]["wrong"];
    const std::string status = record["status"];
    return status != nameOf(TensorStatus::match) && status != nameOf(TensorStatus::missing) &&
           status != nameOf(TensorStatus::empty);
  }

  Result<Json> recordOf(const std::string &value, const TensorMatch &match) {
    const auto entry = dump.tensors().find(value);
    if (entry == dump.tensors().end())
      return pairs.classify(match);
    TensorMatch named = match;
    named.layer = model.nodeOf(value);
    const RecomputedTensor &tensor = entry->second;
    if (!tensor.failure.empty()) {
      Comparison nothing;
      nothing.status = tensor.status;
      return pairRecord(named, nothing, {.verdict = cannotSay(tensor.failure)});
    }
    return tensor.isWrong ? wrongRecord(value, named, tensor) : rightRecord(value, named, tensor);
  }

  Result<Json> wrongRecord(const std::string &value, const TensorMatch &match,
                           const RecomputedTensor &tensor) {
    const Comparison comparison =
        compareTensors(tensor.expected, tensor.dumped,
                       {.limits = pairs.compare.limits, .exact = true, .threads = pairs.compare.threads});
    Circumstances known = dump.knownOf(value);
    if (!match.kind.empty())
      known.seams = match.seams; // of --program
    TILERIG_TRY(ExplainedVerdict explained,
                explainPair(*options.classifier, tensor.expected, tensor.dumped, comparison, known));
    const std::optional<ReproducedTensor> reproduced = dump.reproduced(value);
    if (reproduced) {
      explained.verdict = verdictOf(*reproduced, explained.verdict);
      explained.reasons.clear(); // those of the classifier's guess
    }
    Json record = pairRecord(match, comparison, explained);
    record["reproduced_by"] =
        reproduced ? Json{{"words", reproduced->words}, {"share", reproduced->share}} : Json();
    TILERIG_TRY(record["concerned"], concernedRecord(tensor.expected, tensor.dumped, comparison, true));
    record["own"] = ownRecord(value, tensor, comparison.different, comparison.maxAbs);
    wrong.push_back({match.layer, explained.verdict, {}});
    return record;
  }

  // The record of a tensor that is what the model computes from the target's own tensors.
  Result<Json> rightRecord(const std::string &value, const TensorMatch &match,
                           const RecomputedTensor &tensor) const {
    Comparison comparison;
    TILERIG_TRY(const TensorStream target, pairs.target.stream(match.target));
    comparison.elements = target.elementCount();
    if (followers.contains(value))
      comparison.status = TensorStatus::inherited;
    ExplainedVerdict none;
    none.verdict.answer = Answer::named;
    none.verdict.probabilities[static_cast<size_t>(BugClass::noError)] = 1;
    Json record = pairRecord(match, comparison, none);
    record["own"] = ownRecord(value, tensor, 0, 0);
    return record;
  }

  Json ownRecord(const std::string &value, const RecomputedTensor &tensor, uint64_t different,
                 double maxAbs) const {
    const std::optional<StoredSteps> stored = dump.stepsOf(value);
    return {{"wrong", tensor.isWrong},
            {"scale", stored ? Json(stored->steps.front()) : Json()},
            {"zero_point", stored ? Json(stored->zero) : Json()},
            {"different", different},
            {"max_abs", std::isfinite(maxAbs) ? Json(maxAbs) : Json()},
            {"tolerance", tensor.tolerance},
            {"precision", nameOf(tensor.precision)},
            {"node", model.nodeOf(value)}};
  }

  // The headline names the first layer that is wrong by itself. Of many such layers, the class is decided over all.
  Json headline(const Json &layers) const {
    if (wrong.empty())
      return headlineOf(layers);
    const auto first = std::ranges::find_if(
        layers, [](const Json &layer) { return layer["own"].is_object() && layer["own"]["wrong"] == true; });
    Json verdict = (*first)["verdict"];
    if (const std::optional<LayerVerdict> all = verdictOfNetwork(wrong); all && areMany(wrong))
      verdict = verdictRecord({.verdict = all->verdict});
    verdict["layer"] = (*first)["layer"];
    return verdict;
  }

  const DumpPairs &pairs;
  const ModelOptions &options;
  const ModelOfDumps &model;
  std::map<std::string, const TensorMatch *> matches; // by value of the model
  RecomputedDump dump;
  std::set<std::string> followers; // values that are computed from wrong ones
  std::vector<LayerVerdict> wrong;
};

} // namespace

Result<ClassifiedDump> classifyWithModel(const DumpPairs &pairs, const ModelOptions &options,
                                         reference::Threads &threads) {
  TensorScales scales;
  if (!options.scales.empty()) {
    TILERIG_TRY(scales, readScales(options.scales));
  }
  TILERIG_CHECK_OK(checkScales(scales, pairs.target, "--scales " + options.scales));
  TILERIG_TRY(const ModelOfDumps model, ModelOfDumps::load(options.path, threads));
  return DumpJudge(pairs, options, model, scales).judge();
}

} // namespace tilerig::verify
