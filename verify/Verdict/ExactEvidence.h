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
// channel (a bias) or errors at the border alone (padding); nothing where there is none, or too few elements
// are wrong.
std::optional<Fact> exactHypothesis(const ReplayedHypotheses &hypotheses);

// Short of that, where nothing else is certain: the class that the spread of values speaks for
// (Evidence/Spreads.h). Values that keep their spread while rows have moved across the border are padding's,
// and channels that do not keep theirs are those of other coefficients. It stands first, and nothing is sure.
std::optional<BugClass> likelyFromSpreads(const WrongElements &wrong);
Scores putFirst(Scores scores, BugClass bugClass);

// Scores of the classes that it speaks for, the most usual first unless the classifier is sure of another of
// them.
Scores preferHypothesis(Scores scores, Fact hypothesis);

// The verdict on a pair of dumps: by what is exact; else by the classifier; where that cannot say, by
// spreads.
Verdict decideOnDumps(const Scores &scores, const Facts &facts, const ReplayedHypotheses &hypotheses);

} // namespace tilerig::verify
