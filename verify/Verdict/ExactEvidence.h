// Rules that take precedence over the classifier if tensors of two dumps (files) are compared: if one
// hypothesis explains all wrong elements of a tensor, the bug classes to which it points are likely, and no
// others.
//
// `tilerig check` does not need these rules: there the classifier reads what is known of a layer's operands,
// and has learnt to use it.
#pragma once

#include "verify/Verdict/Attribution.h"
#include "verify/Verdict/Verdict.h"

#include <optional>

namespace tilerig::verify {

// The hypothesis that explains nearly all wrong elements and points to the cause, such as an offset for each
// channel (a bias), errors only at the border of the image (padding), or other values in all of some channels
// (weights). Empty if there is none, or if too few elements are wrong.
std::optional<Feature> exactHypothesis(const ReplayedHypotheses &hypotheses);

// Whether a tensor is wrong everywhere and its values are no variation of the reference's, such as shifted or
// scaled ones. The layer then read a wrong operand, and two tensors alone do not tell which: transposed
// weights, weights of another layer and a wrong stride look alike.
bool resemblesNothing(const Features &features, const ReplayedHypotheses &hypotheses);

// For a tensor whose values are no variation of the reference's (resemblesNothing()), the class of bugs that
// the variances of its channels suggest (Evidence/Spreads.h): padding if rows have moved across the border;
// coefficient loading if channels have another variance in all of the image. Empty if they suggest none.
std::optional<BugClass> likelyFromSpreads(const WrongElements &wrong);
// Raises the probability of a class of bugs to one half, so that the class ranks first without being certain.
Scores putFirst(Scores scores, BugClass bugClass);

// Raises the probabilities of the bug classes to which the hypothesis points, and leaves little to all other
// classes. The most frequent of them ranks first unless the classifier is sure of another one. If the
// hypothesis reproduces the wrong values, there is a bug; if it does not, such as "errors only at the
// border", the classifier decides whether there is one.
Scores preferHypothesis(const Scores &scores, Feature hypothesis);

// The verdict on a pair of tensors from two dumps (files): by an exact hypothesis if there is one, else by
// the classifier. Unless an oracle proves that there is a bug, only a class with a probability above one half
// may rank first. For a tensor whose values are no variation of the reference's, only the class from
// likelyFromSpreads() may rank first.
Verdict decideOnDumps(const Scores &scores, const Features &features, const ReplayedHypotheses &hypotheses);

} // namespace tilerig::verify
