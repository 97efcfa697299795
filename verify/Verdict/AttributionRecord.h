// How many wrong elements of a tensor each class of bugs explains, as JSON: the field `attribution` of a
// verdict (VerdictRecord.h).
//
//   elements, failed  number of wrong elements, and of those that failed the limits: if the reference states
//                     every bit, all that differ are wrong, else those that failed
//   replayed          wrong elements that were tested: all that stand out of the noise of rounding, or every
//                     n-th of very many, with the counts scaled up
//   classes           that explain an element, likeliest first: {"class", "words", "elements", "failed",
//                     "share" (of the failed elements; of all wrong ones if none failed), "explained_by"
//                     (hypotheses: {"name", "words"})}
//   unexplained       the rest: {"elements", "failed", "share"}
#pragma once

#include "isa/Base/Support/Json.h"
#include "verify/Verdict/Attribution.h"

#include <string>

namespace tilerig::verify {

Json attributionRecord(const Attribution &attribution);

// Text for people: "explanations of the 1234 failed elements: bias_loading 62.0 % (...), hardware 25.0 %
// (...), unexplained 13.0 %".
std::string attributionLine(const Json &record);

} // namespace tilerig::verify
