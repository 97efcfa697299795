#include "verify/Tools/ClassifyPairs.h"

#include "verify/Evidence/Concerned.h"
#include "verify/Verdict/JudgePair.h"

namespace tilerig::verify {

namespace {

Circumstances circumstancesOf(const CompareOptions &compare, const TensorMatch &match) {
  Circumstances known;
  known.isOracle = compare.exact;
  if (match.kind.empty())
    return known; // without a program, only the values of the tensor are known
  known.seams = match.seams;
  known.layerKind = match.kind;
  return known;
}

Json rangesRecord(const ConcernedAxis &axis) {
  Json ranges = Json::array();
  for (const IndexRange &range : axis.ranges)
    ranges.push_back({range.first, range.last});
  return {{"size", axis.size}, {"ranges", ranges}};
}

Json inRanges(const Concerned &concerned) {
  return {{"elements", concerned.elements},
          {"channels", rangesRecord(concerned.channels)},
          {"rows", rangesRecord(concerned.rows)},
          {"columns", rangesRecord(concerned.columns)},
          {"words", inWords(concerned)}};
}

// Whether a tensor was compared element by element and differs.
bool hasWrongElements(const Comparison &comparison) {
  return comparison.status == TensorStatus::mismatch || comparison.status == TensorStatus::nonFinite;
}

} // namespace

Json pairRecord(const TensorMatch &match, const Comparison &comparison, const ExplainedVerdict &explained) {
  return {{"name", match.name},
          {"layer", match.layer.empty() ? Json() : Json(match.layer)},
          {"status", nameOf(comparison.status)},
          {"elements", comparison.elements},
          {"different", comparison.different},
          {"concerned", nullptr},
          {"own", nullptr},
          {"verdict", verdictRecord(explained)}};
}

Result<Json> concernedRecord(const TensorStream &reference, const TensorStream &target,
                             const Comparison &comparison, bool everyDifference) {
  if (!hasWrongElements(comparison))
    return Json();
  TILERIG_TRY(const Concerned concerned, findConcerned(reference, target, comparison, everyDifference));
  return inRanges(concerned);
}

Result<Json> DumpPairs::classifyPair(const TensorMatch &match, const StreamPair &pair) const {
  CompareOptions options = compare;
  options.limits.eightBit = match.eightBit;
  TILERIG_TRY(const Comparison comparison, compareStreams(pair.reference, pair.target, options));
  TILERIG_TRY(const ExplainedVerdict explained, judgePair(classifier, pair.reference, pair.target, comparison,
                                                          circumstancesOf(compare, match)));
  Json record = pairRecord(match, comparison, explained);
  TILERIG_TRY(record["concerned"], concernedRecord(pair.reference, pair.target, comparison, compare.exact));
  return record;
}

Result<Json> DumpPairs::classify(const TensorMatch &match) const {
  if (match.reference.empty() || match.target.empty()) {
    Comparison nothing;
    nothing.status = TensorStatus::missing;
    return pairRecord(
        match, nothing,
        {.verdict = cannotSay(match.reference.empty() ? "the reference does not contain this tensor"
                                                      : "the target does not contain this tensor")});
  }
  TILERIG_TRY(const StreamPair pair, openPair(reference, target, match));
  return classifyPair(match, pair);
}

} // namespace tilerig::verify
