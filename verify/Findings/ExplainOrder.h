// Explains a finding of the analyser about the order of instructions.
#pragma once

#include "isa/Analyser/OrderExcerpt.h"
#include "verify/Findings/Finding.h"

namespace tilerig::verify {

// Adds to the record of a finding (findingRecord()):
//
//   diagram        a space-time diagram, as SVG (SpaceTime.h)
//   clocks         of a race: what is certain when each access begins (SpaceTime.h)
//   missing_order  of a race and of a wait that is never satisfied: what is missing (MissingOrder.h); absent if nothing simple helps
//
// Other findings have no such explanation. `counts` are the findings of the whole program.
void explainOrder(const Finding &finding, const Program &program, const FindingCounts &counts,
                  OrderExcerpts &excerpts, Json &record);

} // namespace tilerig::verify
