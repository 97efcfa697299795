#include "verify/Findings/ExplainOrder.h"

#include "verify/Findings/MissingOrder.h"
#include "verify/Findings/SpaceTime.h"

namespace tilerig::verify {

void explainOrder(const Finding &finding, const Program &program, const FindingCounts &counts,
                  OrderExcerpts &excerpts, Json &record) {
  for (const ProblemKind kind : {ProblemKind::race, ProblemKind::deadlock}) {
    if (finding.kind != nameOf(kind))
      continue;
    if (const auto excerpt = excerpts.of(kind, finding.places)) {
      record["diagram"] = drawSpaceTime(*excerpt, program);
      if (kind == ProblemKind::race)
        record["clocks"] = clockRecords(*excerpt, program);
    }
  }
  if (const auto order = missingOrder(program, finding, counts))
    record["missing_order"] = missingOrderRecord(*order, program);
}

} // namespace tilerig::verify
