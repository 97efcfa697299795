// Hypotheses about how wrong values may follow from right ones. Each function tests one hypothesis on the
// wrong elements of a tensor and adds it to the explanations. ExplainByValues.h lists the names of the
// hypotheses.
#pragma once

#include "verify/Evidence/ByValues/ValueHypotheses.h"

namespace tilerig::verify {

// --- Hypotheses that fit a number, such as an offset, to the wrong elements (FittedNumbers.cpp) ---

// Tests whether a number was added to all elements of a channel.
void explainOffsets(ValueHypotheses &hypotheses);
// Tests whether a channel was multiplied by a power of two.
void explainPowers(ValueHypotheses &hypotheses);
// Tests whether wrong elements are zeros, or all elements of a channel have one value.
void explainOneValue(ValueHypotheses &hypotheses);
// Tests whether the target is a function of the reference. The range of the reference is divided into parts
// (for 8-bit types, single values), and in each part the median error of the wrong elements is added to the
// reference.
void explainFunction(ValueHypotheses &hypotheses);

// --- Hypotheses that elements have the values of other elements (MovedValues.cpp, OtherChannels.cpp) ---

// Tests whether elements have the values of other elements at a fixed distance, in the whole image or in a
// part of it.
void explainShifts(ValueHypotheses &hypotheses);
// Tests whether matrices in memory were transposed: [outer, rows, columns] read as [outer, columns, rows], or
// vice versa.
void explainTranspositions(ValueHypotheses &hypotheses);
// Tests whether a channel has the values of another channel, plus an offset: its weights may be those of
// another output, but its bias its own.
void explainOtherChannels(ValueHypotheses &hypotheses);

// --- Hypotheses about single wrong elements (MarkedElements.cpp) ---

// Tests whether clamping to the range was left out, or used a bound that is too narrow.
void explainEnds(ValueHypotheses &hypotheses);
// Tests whether a channel is wrong only at the border of the image, except for a few elements. A channel with
// too few wrong elements is tested together with the whole tensor.
void explainBorder(ValueHypotheses &hypotheses);
// Tests whether the sign is inverted, or the target is 128 steps, one step or one unit in the last place off
// the reference.
void explainSingles(ValueHypotheses &hypotheses);
// Tests whether the values of elements vary from run to run.
void explainVarying(ValueHypotheses &hypotheses, const std::vector<Tensor> &otherRuns);

} // namespace tilerig::verify
