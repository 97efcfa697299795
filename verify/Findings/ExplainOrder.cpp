#include "verify/Findings/ExplainOrder.h"

#include "verify/Findings/SpaceTime.h"

namespace tilerig::verify {

void explainOrder(const Finding &finding, const FindingsContext &context, Json &record) {
  const Program &program = context.program;
  for (const ProblemKind kind : {ProblemKind::race, ProblemKind::deadlock}) {
    if (finding.kind != nameOf(kind))
      continue;
    if (const auto excerpt = context.excerpts.of(kind, finding.places)) {
      record["diagram"] = drawSpaceTime(*excerpt, program);
      if (kind == ProblemKind::race)
        record["clocks"] = clockRecords(*excerpt, program);
    }
  }
  if (context.missing) {
    if (finding.places == context.lacking->places)
      record["missing_order"] = missingOrderRecord(*context.missing, program);
  } else if (const auto order = missingOrder(program, finding, context.counts)) {
    record["missing_order"] = missingOrderRecord(*order, program);
  }
}

} // namespace tilerig::verify
