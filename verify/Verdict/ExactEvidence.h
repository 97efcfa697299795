// Rules that take precedence over the classifier if tensors of two dumps (files) are compared: if one
// hypothesis explains all wrong elements of a tensor, the bug classes to which it points are likely, and no
// others.
//
// `tilerig check` does not need these rules, because there the classifier also knows the operands of the
// layer.
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
// scaled ones. Transposed weights, weights of another layer and a wrong stride all look like this, so two
// tensors alone do not show the cause.
bool resemblesNothing(const Features &features, const ReplayedHypotheses &hypotheses);

// The class of bugs that the variances of the channels suggest (Evidence/Spreads.h), for a tensor whose
// values are no variation of the reference's (resemblesNothing()). Padding, if rows have moved across the
// border; coefficient loading, if channels have another variance in all of the image; empty otherwise.
std::optional<BugClass> likelyFromSpreads(const WrongElements &wrong);
// Raises the probability of a class of bugs to one half, so that the class ranks first without being certain.
Scores putFirst(Scores scores, BugClass bugClass);

// Changes the classifier's probabilities if a hypothesis explains nearly all wrong elements. The classes of
// bugs to which the hypothesis points become more probable, all others less. The most frequent of these
// classes ranks first unless the classifier is sure of another class. A hypothesis that reproduces the wrong
// values proves that there is a bug; otherwise the classifier decides whether there is one.
Scores preferHypothesis(const Scores &scores, Feature hypothesis);

// The verdict on a pair of tensors from two dumps (files): by a hypothesis that explains nearly all wrong
// elements or, if there is none, by the classifier. If it is not proved that there is a bug, a class ranks
// first only if its probability is above one half. If a tensor resembles nothing (resemblesNothing()), only
// the class from likelyFromSpreads() may rank first.
Verdict decideOnDumps(const Scores &scores, const Features &features, const ReplayedHypotheses &hypotheses);

} // namespace tilerig::verify
