// The pairs of tensors of two dumps, for `tilerig classify`, and the record of one pair.
#pragma once

#include "isa/Base/Support/Json.h"
#include "verify/Inputs/Matching.h"
#include "verify/Metrics/Compare.h"
#include "verify/Verdict/VerdictRecord.h"

namespace tilerig::verify {

struct DumpPairs {
  TensorSource reference, target;
  Matching matching;
  CompareOptions compare;
  const Classifier &classifier;

  // The record of a pair, judged by its two tensors.
  Result<Json> classify(const TensorMatch &match) const;

private:
  Result<Json> classifyPair(const TensorMatch &match, const StreamPair &pair) const;
};

// The record of a pair:
//
//   name, layer           of the tensor; layer may be null
//   status                of the comparison (Metrics/Comparison.h)
//   elements, different   number of elements, and of those that differ from the reference or, with a model, from what the model
//                         computes, by more than rounding explains
//   concerned             which elements are wrong, or null
//   own                   with a model, what it says about the tensor (ClassifyWithModel.h); else null
//   verdict               VerdictRecord.h
Json pairRecord(const TensorMatch &match, const Comparison &comparison, const ExplainedVerdict &explained);
// The field "concerned" of a pair that differs; null if it does not.
Result<Json> concernedRecord(const TensorStream &reference, const TensorStream &target,
                             const Comparison &comparison, bool everyDifference);

} // namespace tilerig::verify
