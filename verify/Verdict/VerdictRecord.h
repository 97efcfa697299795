// A verdict as JSON: part of a layer's record, and what `tilerig classify` prints.
//
//   answer         "named", "unknown" or "cannot_say"
//   class          the named class; for an unknown bug the most probable one; null if "cannot_say"
//   reason         why no verdict is possible, or null
//   probabilities  the probability of each class by its name; null if there are none ("cannot_say" only)
//   unknown        how unlike the training data the tensor's errors are, 0 to 1
//   top            the three most probable classes: {"class", "words", "probability", "attributed",
// "suspects"}.
//                  "attributed" is the number of failed elements that the hypotheses of the class explain;
// null
//                  if no element was tested.
//   attribution    how many wrong elements each class explains (AttributionRecord.h), or null
//   evidence       reasons for the most probable class: {"name", "words", "weight"}
//   missing        information that was not available, in words
#pragma once

#include "isa/Base/Support/Json.h"
#include "verify/Verdict/AcrossLayers.h"
#include "verify/Verdict/Attribution.h"
#include "verify/Verdict/Saliency.h"

namespace tilerig::verify {

struct ExplainedVerdict {
  Verdict verdict;
  std::vector<Reason> reasons = {};
  std::vector<std::string> missing = {};
  // Classes of bugs that explain wrong elements; empty without a bug or verdict.
  std::optional<Attribution> attribution = {};
};

// Makes the verdict on a tensor, attributes its wrong elements to classes and, if a class is named, finds the
// reasons.
Result<ExplainedVerdict> explain(const Classifier &classifier, const Evidence &evidence,
                                 const Comparison &comparison, const Tensor &reference,
                                 const ReplayedHypotheses &hypotheses);
std::vector<std::string> missingFrom(const Features &features);

Json verdictRecord(const ExplainedVerdict &explained);
Json networkVerdictRecord(const std::optional<LayerVerdict> &verdict);

// A verdict as text for people: "padding (0.97); splitting 0.02, data_access 0.01".
std::string verdictLine(const Json &record);

} // namespace tilerig::verify
