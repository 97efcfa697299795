// Explains a finding of the analyser about the order of instructions.
#pragma once

#include "isa/Analyser/OrderExcerpt.h"
#include "verify/Findings/MissingOrder.h"

namespace tilerig::verify {

// Adds to the record of a finding (findingRecord()):
//
//   diagram        a space-time diagram, as SVG (SpaceTime.h)
//   clocks         of a race: what is certain when each access begins (SpaceTime.h)
//   missing_order  of a race and of a wait that is never satisfied: what is missing (MissingOrder.h); absent if nothing simple helps,
//                  or if it is known at which other finding something is missing
//
// Other findings have no such explanation.
struct FindingsContext {
  const Program &program;
  const FindingCounts &counts; // of the findings of the whole program
  OrderExcerpts &excerpts;
  // What makes the program provable, and the finding to which it belongs; null if this is not known.
  const MissingOrder *missing = nullptr;
  const Finding *lacking = nullptr;
};
void explainOrder(const Finding &finding, const FindingsContext &context, Json &record);

} // namespace tilerig::verify
