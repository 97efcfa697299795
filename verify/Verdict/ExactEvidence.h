// Rules that take precedence over the classifier on pairs of dumps: if one hypothesis explains all wrong
// elements of a tensor, its classes are likely, and no others.
//
// A check does not need these rules: its evidence contains what is known of a layer's operands, and the
// classifier has learnt to use it.
#pragma once

#include "verify/Verdict/Attribution.h"
#include "verify/Verdict/Verdict.h"

#include <optional>

namespace tilerig::verify {

// The hypothesis that explains nearly all wrong elements and points to a cause, such as an offset for each
// channel (a bias), errors only at the border (padding), or other values in all of some channels
// (coefficients). Empty if there is none, or if too few elements are wrong.
std::optional<Fact> exactHypothesis(const ReplayedHypotheses &hypotheses);

// Whether a tensor is wrong everywhere and its values are not those of the reference in any changed form.
// Some operand was then a different one, and two dumps do not tell which: transposed weights, weights of
// another layer and a wrong stride look alike.
bool resemblesNothing(const Facts &facts, const ReplayedHypotheses &hypotheses);

// The class that the variances of such a tensor suggest (Evidence/Spreads.h): padding if rows have moved
// across the border; coefficient loading if channels have another variance in all of the image.
std::optional<BugClass> likelyFromSpreads(const WrongElements &wrong);
// Raises the class to a probability of one half, so that it ranks first without being certain.
Scores putFirst(Scores scores, BugClass bugClass);

// Scores with the probability moved to the classes of the hypothesis, most frequent first unless the
// classifier is sure of another of them. If the hypothesis reproduces values, there is a bug; for others,
// such as errors only at the border, the classifier decides whether there is one.
Scores preferHypothesis(const Scores &scores, Fact hypothesis);

// The verdict on a pair of dumps: by an exact hypothesis if there is one, else by the classifier. If no
// oracle proves a bug, a class must be more probable than not to rank first; for a tensor that resembles
// nothing, only the class from likelyFromSpreads() may.
Verdict decideOnDumps(const Scores &scores, const Facts &facts, const ReplayedHypotheses &hypotheses);

} // namespace tilerig::verify
