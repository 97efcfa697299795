// How many wrong elements of a tensor each class of bugs explains, as JSON: the field `attribution` of a
// verdict (VerdictRecord.h).
//
//   elements     number of wrong elements: all that differ if the reference is exact to the bit, else those
// that
//                exceed the limits of the comparison
//   failed       number of wrong elements that exceed the limits
//   replayed     number of wrong elements that were tested. If very many are wrong, only every n-th is
// tested,
//                and the counts are scaled up.
//   classes      lists the classes that explain an element, the likeliest first: {"class", "words",
// "elements",
//                "failed", "share", "explained_by"}. "share" is the share of the failed elements or, if none
//                failed, of all wrong ones. "explained_by" lists hypotheses: {"name", "words"}.
//   unexplained  counts the other wrong elements: {"elements", "failed", "share"}
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
