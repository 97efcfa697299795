// The verdict on a pair of tensors from any two tools: expected and computed values of the same tensor.
#pragma once

#include "isa/Base/Tensor/TensorStream.h"
#include "verify/Evidence/Circumstances.h"
#include "verify/Verdict/VerdictRecord.h"

namespace tilerig::verify {

// Judges a pair of tensors by the classifier, and says which class of bugs explains which wrong elements.
// `comparison` is the result of comparing the two tensors. `known` is what is known besides the tensors, by
// default nothing. The verdict is "cannot say" if the tensors allow none.
Result<ExplainedVerdict> judgePair(const Classifier &classifier, const TensorStream &reference,
                                   const TensorStream &target, const Comparison &comparison,
                                   const Circumstances &known = {});

// The same for tensors in memory, of systems that are compared in full: all NaN and infinite elements count.
Result<ExplainedVerdict> explainPair(const Classifier &classifier, const Tensor &reference,
                                     const Tensor &target, const Comparison &comparison,
                                     const Circumstances &known);

} // namespace tilerig::verify
