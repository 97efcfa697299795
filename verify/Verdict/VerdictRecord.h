// A verdict as JSON: part of a layer's record, and what `tilerig classify` prints.
//
//   answer         "named", "unknown" or "cannot_say"
//   class          the class that is named; of an unknown bug the likeliest; null where nothing can be said
//   reason         why nothing can be said, or null
//   probabilities  of every class by its name, together 1; null where nothing can be said
//   unknown        how unlike it is to what the classifier learned from, 0 to 1
//   top            the three likeliest: {"class", "words", "probability", "attributed" (failed elements that
//                  its hypotheses explain; null where none was replayed), "suspects"}
//   attribution    which class explains how many wrong elements (AttributionRecord.h), or null
//   evidence       what speaks for the first of them: {"name", "words", "weight"}
//   missing        what could not be known, in words
#pragma once

#include "verify/Inputs/StrictJson.h"
#include "verify/Verdict/Attribution.h"
#include "verify/Verdict/Saliency.h"
#include "verify/Verdict/Verdict.h"

namespace tilerig::verify {

struct ExplainedVerdict {
  Verdict verdict;
  std::vector<Reason> reasons = {};
  std::vector<std::string> missing = {};
  std::optional<Attribution> attribution = {}; // nothing where there is no bug, or nothing can be said
};

// Scores, decides, finds reasons and attributes elements; `reasons` of named classes alone.
Result<ExplainedVerdict> explain(const Classifier &classifier, const Evidence &evidence,
                                 const Comparison &comparison, const Tensor &reference,
                                 const ReplayedHypotheses &hypotheses);
std::vector<std::string> missingFrom(const Facts &facts);

Json verdictRecord(const ExplainedVerdict &explained);
Json networkVerdictRecord(const std::optional<LayerVerdict> &verdict);

// For people: "padding (0.97); splitting 0.02, data_access 0.01".
std::string verdictLine(const Json &record);

} // namespace tilerig::verify
