// A verdict as JSON: part of a layer's record, and what `tilerig classify` prints.
//
//   answer         "named", "unknown" or "cannot_say"
//   class          the class that is named; of an unknown bug the likeliest; null where nothing can be said
//   reason         why nothing can be said, or null
//   probabilities  of every class by its name, together 1; null where nothing can be said
//   unknown        how unlike it is to what the classifier learned from, 0 to 1
//   top            the three likeliest: {"class", "words", "probability", "attributed" (of the failing
//   elements, as many
//                  as its probability), "suspects"}
//   evidence       what speaks for the first of them: {"name", "words", "weight"}
//   missing        what could not be known, in words
#pragma once

#include "verify/Inputs/StrictJson.h"
#include "verify/Verdict/Saliency.h"
#include "verify/Verdict/Verdict.h"

namespace tilerig::verify {

struct ExplainedVerdict {
  Verdict verdict;
  std::vector<Reason> reasons;
  uint64_t failed = 0; // elements
  std::vector<std::string> missing;
};

// Scores, decides and finds reasons; `reasons` of named classes alone.
Result<ExplainedVerdict> explain(const Classifier &classifier, const Evidence &evidence,
                                 const Comparison &comparison, const Tensor &reference);
std::vector<std::string> missingFrom(const Facts &facts);

Json verdictRecord(const ExplainedVerdict &explained);
Json networkVerdictRecord(const std::optional<LayerVerdict> &verdict);

// For people: "padding (0.97); splitting 0.02, data_access 0.01".
std::string verdictLine(const Json &record);

} // namespace tilerig::verify
