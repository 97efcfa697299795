#include "verify/Tools/ClassifyWithModel.h"

#include "isa/Base/Support/Progress.h"
#include "reference/Run/Floats.h"
#include "verify/Dumps/ModelOfDumps.h"
#include "verify/Evidence/Channels.h"
#include "verify/Inputs/Transpose.h"
#include "verify/Tools/ClassifyReport.h"
#include "verify/Verdict/AcrossLayers.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

namespace tilerig::verify {

namespace {

// A tensor of the target beside what the model computes in its place.
struct OwnNumbers {
  Tensor expected; // float32
  Tensor dumped;   // float32; numbers that rounding explains are replaced by the expected ones
  DumpPrecision precision = DumpPrecision::fp32;
  bool isWrong = false;
  std::string failure; // why the two cannot be compared; empty if they can
};

// A number is clearly wrong if it differs from the expected one by this many times what rounding explains at most. A tensor is wrong if it
// has such a number; all its numbers that rounding does not explain then count. With 8 bits, a few numbers may be far off without a
// bug: there, one in a thousand must be clearly wrong, or some by very much.
constexpr double clearly = 4, byVeryMuch = 30;
constexpr size_t fewOf = 1000;

OwnNumbers compareOwn(const Tensor &expected, const DumpedNumbers &dumped, size_t nodes) {
  OwnNumbers own{
      .expected = expected, .dumped = dumped.numbers, .precision = dumped.precision, .failure = {}};
  const auto right = expected.as<float>();
  double largest = 0;
  for (const float number : right)
    largest = std::max(largest, std::isfinite(number) ? std::fabs(static_cast<double>(number)) : 0);
  const RoundingOfDump rounding(dumped, largest, nodes);
  const auto numbers = own.dumped.mutableAs<float>();
  size_t wrong = 0;
  for (size_t i = 0; i < right.size(); ++i) {
    const auto number = static_cast<double>(numbers[i]), wanted = static_cast<double>(right[i]);
    const bool isClear = !rounding.explains(wanted, number, clearly);
    wrong += isClear;
    own.isWrong |= isClear && (dumped.precision != DumpPrecision::eightBits ||
                               !rounding.explains(wanted, number, byVeryMuch));
    if (rounding.explains(wanted, number))
      numbers[i] = right[i];
  }
  own.isWrong |= wrong * fewOf > right.size();
  return own;
}

class DumpJudge {
public:
  DumpJudge(const DumpPairs &pairs, const ModelOptions &options, const ModelOfDumps &model)
      : pairs(pairs), options(options), model(model) {
    for (const std::vector<std::string> *names : {&model.inputs(), &model.computed()})
      for (const std::string &value : *names)
        if (const TensorMatch *match = matchOf(value))
          matches[value] = match, dumped.insert(value);
  }

  Result<ClassifiedDump> judge() {
    TILERIG_TRY(inputs, modelInputs());
    if (std::ranges::none_of(model.computed(),
                             [&](const std::string &value) { return dumped.contains(value); }))
      return invalidInput(options.path, "the model computes none of the target's tensors",
                          "give the model whose tensors were dumped, or pair the names with --map");
    TILERIG_CHECK_OK(recompute());
    TILERIG_CHECK_OK(readOperands());
    ClassifiedDump result{Json::array(), {}};
    Progress progress("classify", pairs.matching.matches.size());
    std::set<const TensorMatch *> done;
    for (const std::string &value : model.computed())
      if (const auto entry = matches.find(value);
          entry != matches.end() && done.insert(entry->second).second) {
        TILERIG_TRY(Json record, recordOf(value, *entry->second));
        result.layers.push_back(std::move(record));
        progress.advance();
      }
    for (const TensorMatch &match : pairs.matching.matches)
      if (done.insert(&match).second) {
        TILERIG_TRY(Json record, pairs.classify(match));
        result.layers.push_back(std::move(record));
        progress.advance();
      }
    result.verdict = headline(result.layers);
    return result;
  }

private:
  const TensorMatch *matchOf(const std::string &value) const {
    for (const TensorMatch &match : pairs.matching.matches)
      if (!match.target.empty() && (match.reference == value || match.target == value))
        return &match;
    return nullptr;
  }

  Result<reference::NamedTensors> modelInputs() const {
    reference::NamedTensors found;
    std::vector<TensorSource> files;
    for (const std::string &path : options.inputs) {
      TILERIG_TRY(TensorSource source, TensorSource::open(path));
      files.push_back(std::move(source));
    }
    for (const std::string &name : model.inputs()) {
      const TensorSource *source = pairs.target.has(name)      ? &pairs.target
                                   : pairs.reference.has(name) ? &pairs.reference
                                                               : nullptr;
      for (const TensorSource &file : files)
        if (!source && file.has(name))
          source = &file;
      if (!source)
        return usageError("--model " + options.path,
                          fmt::format("neither of the two sets of tensors has the model's input '{}'", name),
                          "give it with --input FILE.npz");
      TILERIG_TRY(Tensor tensor, source->load(name));
      found.emplace(name, std::move(tensor));
    }
    return found;
  }

  Result<Tensor> targetOf(const TensorMatch &match) const {
    TILERIG_TRY(Tensor tensor, pairs.target.load(match.target));
    if (match.bfloat16 && tensor.dtype() == DType::u16) {
      TILERIG_TRY(tensor, tensor.reinterpreted(DType::bf16));
    }
    return match.transpose.empty() ? Result<Tensor>(std::move(tensor)) : transpose(tensor, match.transpose);
  }

  // Runs the model on the target's tensors, and compares each of them with the computed one.
  Status recompute() {
    const auto substitute = [&](const std::string &value, const Tensor &computed) -> std::optional<Tensor> {
      const auto entry = matches.find(value);
      const bool isFloat = computed.dtype() == DType::f32 || reference::isHalf(computed.dtype());
      if (entry == matches.end() || !isFloat || computed.elementCount() == 0 || isInput(value))
        return {};
      const Tensor expected = computed.dtype() == DType::f32 ? computed : reference::widened(computed);
      const auto numbers = numbersOf(*entry->second, expected);
      if (!numbers) {
        own[value].failure = numbers.error().what;
        return {};
      }
      if (numbers->stored)
        steps[value] = *numbers->stored;
      OwnNumbers compared = compareOwn(expected, *numbers, model.nodesBehind(value, dumped));
      if (!compared.isWrong)
        compared.expected = compared.dumped = Tensor();
      own[value] = std::move(compared);
      return computed.dtype() == DType::f32 ? numbers->numbers
                                            : reference::narrowed(numbers->numbers, computed.dtype());
    };
    return model.run(inputs, substitute, [](const std::string &, const Tensor &) {});
  }

  // The target's numbers in place of those that the model computes.
  Result<DumpedNumbers> numbersOf(const TensorMatch &match, const Tensor &expected) const {
    TILERIG_TRY(const Tensor tensor, targetOf(match));
    std::optional<Tensor> usual;
    if (!match.reference.empty()) {
      TILERIG_TRY(usual, pairs.reference.load(match.reference));
    }
    return numbersOfDump(tensor, expected, usual ? &*usual : nullptr, options.precision);
  }

  bool isInput(const std::string &value) const {
    return std::ranges::find(model.inputs(), value) != model.inputs().end();
  }

  // Reads the operands of the sums behind wrong tensors, in a second run.
  Status readOperands() {
    std::set<std::string> wanted;
    for (const auto &[value, numbers] : own)
      if (numbers.isWrong)
        if (const auto product = model.productBehind(value, dumped)) {
          products.emplace(value, *product);
          for (const std::string &name : product->values())
            wanted.insert(name);
        }
    if (wanted.empty())
      return success();
    Status status = success();
    const auto substitute = [&](const std::string &value, const Tensor &computed) -> std::optional<Tensor> {
      const auto known = own.find(value);
      if (known == own.end() || !known->second.failure.empty())
        return {};
      const auto numbers = numbersOf(
          *matches.at(value), computed.dtype() == DType::f32 ? computed : reference::widened(computed));
      if (!numbers)
        return {}; // the first run has reported it
      return computed.dtype() == DType::f32 ? numbers->numbers
                                            : reference::narrowed(numbers->numbers, computed.dtype());
    };
    const auto keep = [&](const std::string &value, const Tensor &tensor) {
      if (wanted.contains(value) && !operands.find(value))
        status = operands.add(value, reference::isHalf(tensor.dtype()) ? reference::widened(tensor) : tensor);
    };
    TILERIG_CHECK_OK(model.run(inputs, substitute, keep));
    for (const auto &[name, tensor] : inputs)
      keep(name, tensor);
    return status;
  }

  Result<Json> recordOf(const std::string &value, const TensorMatch &match) {
    const auto entry = own.find(value);
    if (entry == own.end())
      return pairs.classify(match);
    TensorMatch named = match;
    named.layer = model.nodeOf(value);
    const OwnNumbers &numbers = entry->second;
    if (!numbers.failure.empty()) {
      Comparison nothing;
      nothing.status = TensorStatus::shapeMismatch;
      return pairRecord(named, nothing, {.verdict = cannotSay(numbers.failure)});
    }
    if (!numbers.isWrong)
      return rightRecord(value, named, numbers);
    const CompareOptions compare{
        .limits = pairs.compare.limits, .exact = true, .threads = pairs.compare.threads};
    const Comparison comparison = compareTensors(numbers.expected, numbers.dumped, compare);
    Circumstances known;
    known.layerKind = model.kindOf(value);
    known.isOracle = true;
    known.isolated = numbers.dumped;
    if (const auto product = products.find(value); product != products.end())
      known.product =
          productOf(product->second, operands, stepsOf(product->second.input), numbers.expected.shape());
    TILERIG_TRY(const ExplainedVerdict explained, explainOwn(numbers, comparison, known));
    Json record = pairRecord(named, comparison, explained);
    TILERIG_TRY(record["concerned"], concernedRecord(numbers.expected, numbers.dumped, comparison, true));
    record["own"] = ownRecord(value, numbers, comparison.different, comparison.maxAbs);
    wrong.push_back({named.layer, explained.verdict, {}});
    return record;
  }

  // How a value was stored, if it was dumped as 8-bit integers.
  std::optional<StoredSteps> stepsOf(const std::string &value) const {
    const auto entry = steps.find(value);
    return entry == steps.end() ? std::nullopt : std::optional(entry->second);
  }

  Result<ExplainedVerdict> explainOwn(const OwnNumbers &numbers, const Comparison &comparison,
                                      const Circumstances &known) const {
    if (const auto reason = whyNothingCanBeSaid(comparison, numbers.expected))
      return ExplainedVerdict{.verdict = cannotSay(*reason)};
    TILERIG_TRY(const FloatEvidence evidence,
                makeEvidence(numbers.expected, numbers.dumped, comparison, known));
    TILERIG_TRY(const ReplayedHypotheses hypotheses,
                replayHypotheses(numbers.expected, numbers.dumped, comparison, known));
    return explain(pairs.classifier, asSample(evidence, comparison), comparison, numbers.expected,
                   hypotheses);
  }

  // The record of a tensor that is what the model computes from the target's own tensors.
  Result<Json> rightRecord(const std::string &value, const TensorMatch &match,
                           const OwnNumbers &numbers) const {
    Comparison comparison;
    if (match.reference.empty()) {
      comparison.status = TensorStatus::match;
    } else {
      TILERIG_TRY(const StreamPair pair, openPair(pairs.reference, pairs.target, match));
      CompareOptions compare = pairs.compare;
      compare.acrossTypes = true;
      TILERIG_TRY(comparison, compareStreams(pair.reference, pair.target, compare));
      if (comparison.status != TensorStatus::match && comparison.status != TensorStatus::empty)
        comparison.status = TensorStatus::inherited;
    }
    ExplainedVerdict none;
    none.verdict.answer = Answer::named;
    none.verdict.probabilities[static_cast<size_t>(BugClass::noError)] = 1;
    Json record = pairRecord(match, comparison, none);
    record["own"] = ownRecord(value, numbers, 0, 0);
    return record;
  }

  Json ownRecord(const std::string &value, const OwnNumbers &numbers, uint64_t different,
                 double maxAbs) const {
    return {{"wrong", numbers.isWrong},
            {"different", different},
            {"max_abs", std::isfinite(maxAbs) ? Json(maxAbs) : Json()},
            {"precision", nameOf(numbers.precision)},
            {"node", model.nodeOf(value)}};
  }

  // The headline names the first layer that is wrong by itself; its class is decided over all such layers.
  Json headline(const Json &layers) const {
    Json verdict = headlineOf(layers);
    const std::optional<LayerVerdict> all = verdictOfNetwork(wrong);
    if (!all || wrong.size() < 2)
      return verdict;
    verdict.update(networkVerdictRecord(all));
    return verdict;
  }

  const DumpPairs &pairs;
  const ModelOptions &options;
  const ModelOfDumps &model;
  reference::NamedTensors inputs;
  std::map<std::string, const TensorMatch *> matches; // by value of the model
  std::set<std::string> dumped;
  std::map<std::string, OwnNumbers> own;
  std::map<std::string, ProductNode> products;
  std::map<std::string, StoredSteps> steps;
  TensorMap operands;
  std::vector<LayerVerdict> wrong;
};

} // namespace

Result<ClassifiedDump> classifyWithModel(const DumpPairs &pairs, const ModelOptions &options,
                                         reference::Threads &threads) {
  TILERIG_TRY(const ModelOfDumps model, ModelOfDumps::load(options.path, threads));
  return DumpJudge(pairs, options, model).judge();
}

} // namespace tilerig::verify
