#include "verify/Verdict/VerdictRecord.h"

#include "verify/Verdict/AttributionRecord.h"
#include "verify/Verdict/ExactEvidence.h"
#include "verify/Verdict/Words.h"

#include <algorithm>
#include <fmt/core.h>

namespace tilerig::verify {

namespace {

constexpr size_t topCount = 3;

float probabilityOf(const Verdict &verdict, BugClass bugClass) {
  return verdict.probabilities[static_cast<size_t>(bugClass)];
}

Json probabilitiesRecord(const Verdict &verdict) {
  Json json = Json::object();
  for (size_t i = 0; i < numBugClasses; ++i)
    json[std::string(nameOf(static_cast<BugClass>(i)))] = verdict.probabilities[i];
  return json;
}

// Whether a classifier was run for the verdict. If so, there are probabilities, even if the answer is "cannot
// say".
bool hasScores(const Verdict &verdict) {
  return std::ranges::any_of(verdict.probabilities, [](float share) { return share > 0; });
}

Json answerRecord(const Verdict &verdict) {
  const bool isSaid = verdict.answer != Answer::cannotSay;
  return {{"answer", nameOf(verdict.answer)},
          {"class", isSaid ? Json(nameOf(verdict.bugClass)) : Json()},
          {"reason", verdict.reason.empty() ? Json() : Json(verdict.reason)},
          {"probabilities", hasScores(verdict) ? probabilitiesRecord(verdict) : Json()},
          {"unknown", hasScores(verdict) ? Json(verdict.unknown) : Json()}};
}

Json topRecord(const Verdict &verdict, const std::optional<Attribution> &attribution) {
  Json top = Json::array();
  for (BugClass bugClass : likeliest(verdict.probabilities, topCount))
    top.push_back({{"class", nameOf(bugClass)},
                   {"words", wordsOf(bugClass)},
                   {"probability", probabilityOf(verdict, bugClass)},
                   {"attributed", attribution ? Json(attribution->of(bugClass).failed) : Json()},
                   {"suspects", suspectsOf(bugClass)}});
  return top;
}

} // namespace

std::vector<std::string> missingFrom(const Features &features) {
  struct Known {
    Feature feature;
    const char *words;
  };
  constexpr Known all[] = {{Feature::layerKnown, "the layer that computes the tensor"},
                           {Feature::seamsKnown, "the seams between tiles"},
                           {Feature::isolatedKnown, "the layer's result from right inputs"},
                           {Feature::jitterKnown, "whether results vary with latencies"},
                           {Feature::orderKnown, "the analyser's findings"},
                           {Feature::oracleKnown, "the exact results of a faultless device"}};
  std::vector<std::string> missing;
  for (const Known &known : all)
    if (features[static_cast<size_t>(known.feature)] == 0)
      missing.emplace_back(known.words);
  return missing;
}

Result<ExplainedVerdict> explain(const Classifier &classifier, const Evidence &evidence,
                                 const Comparison &comparison, const Tensor &reference,
                                 const ReplayedHypotheses &hypotheses) {
  ExplainedVerdict explained;
  explained.missing = missingFrom(evidence.features);
  if (const auto reason = whyNothingCanBeSaid(comparison, reference)) {
    explained.verdict = cannotSay(*reason);
    return explained;
  }
  TILERIG_TRY(const Scores scores, classifier.score(evidence));
  const auto isKnown = [&](Feature feature) { return evidence.features[static_cast<size_t>(feature)] != 0; };
  const bool isPairOfDumps = !isKnown(Feature::orderKnown) && !isKnown(Feature::isolatedKnown);
  explained.verdict = isPairOfDumps ? decideOnDumps(scores, evidence.features, hypotheses)
                                    : decide(scores, evidence.features);
  const Verdict &verdict = explained.verdict;
  const bool isRight = verdict.answer == Answer::named && verdict.bugClass == BugClass::noError;
  if (hasScores(verdict) && !isRight)
    explained.attribution = attribute(hypotheses.wrong, hypotheses.explanations, verdict.probabilities);
  if (verdict.answer == Answer::unknown && explained.attribution &&
      isReproduced(*explained.attribution, verdict.bugClass)) {
    explained.verdict.answer = Answer::named; // however unlike the training data the tensor is
    explained.verdict.unknown = std::min(explained.verdict.unknown, 0.5f);
  }
  if (explained.verdict.bugClass != BugClass::noError) {
    TILERIG_TRY(explained.reasons, findReasons(classifier, evidence, explained.verdict.bugClass));
  }
  return explained;
}

Json verdictRecord(const ExplainedVerdict &explained) {
  Json record = answerRecord(explained.verdict);
  record["top"] =
      hasScores(explained.verdict) ? topRecord(explained.verdict, explained.attribution) : Json::array();
  record["attribution"] = explained.attribution ? attributionRecord(*explained.attribution) : Json();
  Json reasons = Json::array();
  for (const Reason &reason : explained.reasons)
    reasons.push_back({{"name", reason.name}, {"words", reason.words}, {"weight", reason.weight}});
  record["evidence"] = std::move(reasons);
  record["missing"] = explained.missing;
  return record;
}

Json networkVerdictRecord(const std::optional<LayerVerdict> &verdict) {
  if (!verdict)
    return nullptr;
  Json record = answerRecord(verdict->verdict);
  record["layer"] = verdict->layer.empty() ? Json() : Json(verdict->layer);
  return record;
}

std::string verdictLine(const Json &record) {
  if (record["answer"] == "cannot_say")
    return "cannot say: " + record["reason"].get<std::string>();
  std::string line = record["answer"] == "unknown" ? "unknown bug, most similar to " : "";
  const Json &top = record["top"];
  for (size_t i = 0; i < top.size(); ++i)
    line += fmt::format("{}{} {:.2f}", i ? ", " : "", top[i]["class"].get<std::string>(),
                        top[i]["probability"].get<double>());
  return line;
}

} // namespace tilerig::verify
