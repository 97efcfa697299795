// Evidence that is exact goes before what a network has learnt: where one hypothesis explains all that is
// wrong in a tensor, its classes are likely, and no others.
//
// For pairs of dumps. What a check knows of a layer's operands, the classifier has learnt to read itself.
#pragma once

#include "verify/Verdict/Attribution.h"
#include "verify/Verdict/Verdict.h"

#include <optional>

namespace tilerig::verify {

// The hypothesis that explains nearly all wrong elements and tells causes apart, such as an offset for each
// channel (a bias), errors at the border alone (padding), or other values in all of some channels
// (coefficients); nothing where there is none, or too few elements are wrong.
std::optional<Fact> exactHypothesis(const ReplayedHypotheses &hypotheses);

// Whether a tensor is wrong everywhere and nothing that was due comes back in it: some operand was another
// one, and two dumps do not tell which. Turned weights, those of another layer and a wrong stride look alike.
bool resemblesNothing(const Facts &facts, const ReplayedHypotheses &hypotheses);

// The class that the spread of values speaks for in such a tensor (Evidence/Spreads.h). Where rows have moved
// across the border that is padding; where channels have another spread in all of the image, other
// coefficients.
std::optional<BugClass> likelyFromSpreads(const WrongElements &wrong);
// That class stands first, and nothing is sure.
Scores putFirst(Scores scores, BugClass bugClass);

// Scores of the classes that it speaks for, the most usual first unless the classifier is sure of another of
// them. A hypothesis that gives values shows that there is a bug; of others, such as errors at the border
// alone, the classifier says whether there is one.
Scores preferHypothesis(const Scores &scores, Fact hypothesis);

// The verdict on a pair of dumps: by what is exact; else by the classifier. Where no oracle says that there
// is a bug, no class stands first that is not more likely than not, and of what resembles nothing only the
// class that spreads speak for.
Verdict decideOnDumps(const Scores &scores, const Facts &facts, const ReplayedHypotheses &hypotheses);

} // namespace tilerig::verify
