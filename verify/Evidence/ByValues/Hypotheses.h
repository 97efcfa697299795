// Hypotheses about how wrong values may follow from right ones. Each function tests one on the wrong elements
// of a tensor and adds it to the explanations. ExplainByValues.h lists the features that name them.
#pragma once

#include "verify/Evidence/ByValues/ValueHypotheses.h"

namespace tilerig::verify {

// --- A number that was fitted to the elements (FittedNumbers.cpp) ---

// A number was added to a channel.
void explainOffsets(ValueHypotheses &hypotheses);
// A channel was multiplied by a power of two.
void explainPowers(ValueHypotheses &hypotheses);
// Zeros, or one value for all of a channel.
void explainOneValue(ValueHypotheses &hypotheses);
// The target is a function of the reference: the reference plus the median error in the part of the range
// where the reference lies; for eight bits each value is a part.
void explainFunction(ValueHypotheses &hypotheses);

// --- Values from other places (MovedValues.cpp, OtherChannels.cpp) ---

// Values of another place at a fixed distance, in the whole image or in a part of it.
void explainShifts(ValueHypotheses &hypotheses);
// Matrices in memory were transposed: [outer, rows, columns] read as [outer, columns, rows], or vice versa.
void explainTranspositions(ValueHypotheses &hypotheses);
// Values of another channel, to which an offset may be added: the weights may be those of another output
// while the bias is right.
void explainOtherChannels(ValueHypotheses &hypotheses);

// --- What marks single wrong elements (MarkedElements.cpp) ---

// A bound of the range was not applied, or is too narrow.
void explainEnds(ValueHypotheses &hypotheses);
// A channel is wrong only at the border of the image, except for a few elements. Channels with too few wrong
// elements are judged by the whole tensor.
void explainBorder(ValueHypotheses &hypotheses);
// The sign inverted, 128 steps off, or one step or unit in the last place off.
void explainSingles(ValueHypotheses &hypotheses);
// Other runs gave other values.
void explainVarying(ValueHypotheses &hypotheses, const std::vector<Tensor> &otherRuns);

} // namespace tilerig::verify
