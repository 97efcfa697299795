#include "verify/Tools/CheckVerdicts.h"

#include "verify/Check/CheckedCircumstances.h"
#include "verify/Check/MissingClip.h"
#include "verify/Evidence/TileCounts.h"
#include "verify/Verdict/JudgePair.h"

namespace tilerig::verify {

namespace {

// The verdict that replaces the classifier's if all wrong elements are 9-bit results that were stored in 8
// bits without clipping.
ExplainedVerdict asMissingClip(ExplainedVerdict explained) {
  explained.verdict = {.answer = Answer::named, .reason = {}, .bugClass = BugClass::clipping};
  explained.verdict.probabilities[static_cast<size_t>(BugClass::clipping)] = 1;
  explained.reasons = {};
  if (explained.attribution) {
    Attribution &attribution = *explained.attribution;
    attribution.classes = {{BugClass::clipping, attribution.all, {}}};
    attribution.unexplained = {};
  }
  return explained;
}

// The result on which a verdict is based: that of the ordinary run or, if inputs of the layer were wrong there, the one that the
// layer computes from right inputs, which shows the layer's own errors alone.
struct OwnResult {
  const Tensor &reference, &target;
  const Comparison &comparison;
  const CheckedTensor &tensor;

  bool isAlone() const { return &comparison != &tensor.comparison; }

  static OwnResult of(const CheckedTensor &tensor) {
    if (!tensor.wrongInputs.empty() && tensor.isolated && tensor.isolated->status != TensorStatus::match)
      return {tensor.stored.reference, *tensor.alone, *tensor.isolated, tensor};
    return {tensor.stored.reference, tensor.stored.target, tensor.comparison, tensor};
  }
};

// The only tile, of several, that holds nearly all wrong elements of a result.
Result<std::optional<uint32_t>> tileOf(const OwnResult &result, const Circumstances &known) {
  constexpr double nearlyAll = 0.95;
  if (!known.parts || result.comparison.different == 0)
    return std::optional<uint32_t>();
  TILERIG_TRY(const auto tiles,
              countByTile(result.reference, result.target, result.comparison, *known.parts));
  uint64_t all = 0;
  for (const auto &[tile, count] : tiles)
    all += count.different;
  for (const auto &[tile, count] : tiles)
    if (tiles.size() > 1 && static_cast<double>(count.different) >= nearlyAll * static_cast<double>(all))
      return std::optional(tile);
  return std::optional<uint32_t>();
}

bool isReproduced(const ExplainedVerdict &explained) {
  return explained.verdict.answer == Answer::named && explained.attribution &&
         isReproduced(*explained.attribution, explained.verdict.bugClass);
}

// The findings of the analyser have their verdict. The question is then which bug the results show besides, as in a program without them.
void forgetFindings(Circumstances &known) {
  known.order = Order();
  known.trapped = false;
  known.otherRuns.reset();
}

} // namespace

Status CheckVerdicts::open() {
  if (!classifier) {
    TILERIG_TRY(Classifier opened, openClassifier(path, threads));
    classifier.emplace(std::move(opened));
  }
  return success();
}

Status CheckVerdicts::add(const Check &check, const CheckRun &run, const CheckedTensor &tensor,
                          Json &record) {
  const TensorStatus status = tensor.comparison.status;
  if (status == TensorStatus::match || status == TensorStatus::inherited)
    return success();
  TILERIG_CHECK_OK(open());
  const OwnResult result = OwnResult::of(tensor);
  Circumstances known = circumstancesOf(check, run, tensor);
  if (result.isAlone() && !run.notProved.empty())
    known.otherRuns.reset(); // there, inputs of the layer vary, too
  const bool isProved = run.cause && run.cause->isOneClass();
  if (isProved)
    forgetFindings(known);
  TILERIG_TRY(ExplainedVerdict explained,
              explainPair(*classifier, result.reference, result.target, result.comparison, known));
  if (lacksClip(run.program, tensor.match.name, result.reference, result.target))
    explained = asMissingClip(std::move(explained));
  if (!isProved)
    record["verdict"] = verdictRecord(explained); // what is proved is not guessed
  TILERIG_TRY(const std::optional<uint32_t> tile, tileOf(result, known));
  // Without a run on right inputs, nothing shows that the layer itself is wrong.
  if (tensor.wrongInputs.empty() || tensor.isolated)
    wrong.push_back({tensor.match.layer, explained.verdict, tile, isReproduced(explained)});
  return success();
}

} // namespace tilerig::verify
