#include "verify/Evidence/ExplainByValues.h"

#include "verify/Evidence/ByValues/Hypotheses.h"

namespace tilerig::verify {

std::vector<Explanation> explainByValues(const WrongElements &wrong, const Circumstances &known) {
  ValueHypotheses hypotheses(wrong);
  explainOffsets(hypotheses);
  explainPowers(hypotheses);
  explainShifts(hypotheses);
  explainTranspositions(hypotheses);
  explainOtherChannels(hypotheses);
  explainOneValue(hypotheses);
  explainFunction(hypotheses);
  explainEnds(hypotheses);
  explainBorder(hypotheses);
  explainSingles(hypotheses);
  if (known.otherRuns)
    explainVarying(hypotheses, *known.otherRuns);
  return hypotheses.taken();
}

} // namespace tilerig::verify
