#include "verify/Verdict/Saliency.h"

#include "verify/Verdict/Words.h"

#include <algorithm>
#include <cmath>

namespace tilerig::verify {

namespace {

double logOdds(float probability) {
  const double share = std::clamp(static_cast<double>(probability), 1e-6, 1 - 1e-6);
  return std::log(share / (1 - share));
}

class Occlusion {
public:
  Occlusion(const Classifier &classifier, const Evidence &evidence, BugClass bugClass)
      : classifier(classifier), whole(evidence), bugClass(static_cast<size_t>(bugClass)) {}

  Status tryChannels(std::vector<Reason> &reasons) {
    constexpr size_t cells = evidenceSide * evidenceSide;
    for (size_t i = 0; i < numChannels; ++i) {
      Evidence rest = whole;
      const auto plane = rest.channels.mutableAs<uint8_t>().subspan(i * cells, cells);
      if (std::ranges::all_of(plane, [](uint8_t cell) { return cell == 0; }))
        continue;
      std::ranges::fill(plane, 0);
      const auto channel = static_cast<Channel>(i);
      TILERIG_CHECK_OK(add(rest, nameOf(channel), wordsOf(channel), reasons));
    }
    return success();
  }

  Status tryFeatures(std::vector<Reason> &reasons) {
    for (size_t i = 0; i < numFeatures; ++i) {
      const auto feature = static_cast<Feature>(i);
      if (whole.features[i] == 0 || !isEvidence(feature))
        continue;
      Evidence rest = whole;
      rest.features[i] = 0;
      TILERIG_CHECK_OK(add(rest, nameOf(feature), wordsOf(feature), reasons));
    }
    return success();
  }

private:
  Status add(const Evidence &rest, std::string_view name, std::string_view words,
             std::vector<Reason> &reasons) {
    if (!before) {
      TILERIG_TRY(const Scores scores, classifier.score(whole));
      before = logOdds(scores.probabilities[bugClass]);
    }
    TILERIG_TRY(const Scores scores, classifier.score(rest));
    const double fall = *before - logOdds(scores.probabilities[bugClass]);
    if (fall > 0)
      reasons.push_back({std::string(name), std::string(words), static_cast<float>(fall)});
    return success();
  }

  const Classifier &classifier;
  const Evidence &whole;
  const size_t bugClass;
  std::optional<double> before;
};

} // namespace

Result<std::vector<Reason>> findReasons(const Classifier &classifier, const Evidence &evidence,
                                        BugClass bugClass, size_t most) {
  std::vector<Reason> reasons;
  Occlusion occlusion(classifier, evidence, bugClass);
  if (classifier.reads("channels"))
    TILERIG_CHECK_OK(occlusion.tryChannels(reasons));
  if (classifier.reads("features"))
    TILERIG_CHECK_OK(occlusion.tryFeatures(reasons));
  std::ranges::stable_sort(reasons, std::greater<>(), &Reason::weight);
  if (reasons.size() > most)
    reasons.resize(most);
  std::erase_if(reasons, [&](const Reason &reason) { return reason.weight < reasons.front().weight / 10; });
  return reasons;
}

} // namespace tilerig::verify
