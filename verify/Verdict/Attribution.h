// How many of the wrong elements of a tensor each class of bugs explains.
//
// Hypotheses that were replayed (Evidence/Explanations.h) point to classes. The likeliest class gets the
// elements that any of its hypotheses explains exactly, the next one those of its own that are left, and so
// on; then the same with those that are explained nearly. What no hypothesis explains is unexplained. So the
// shares and the rest add up to the wrong elements.
#pragma once

#include "verify/Evidence/Explanations.h"
#include "verify/Verdict/Classifier.h"

#include <span>
#include <vector>

namespace tilerig::verify {

struct ElementCounts {
  uint64_t elements = 0; // that are wrong
  uint64_t failed = 0;   // of these, those that failed the limits
};

struct ClassAttribution {
  BugClass bugClass = BugClass::noError;
  ElementCounts counts;
  std::vector<Fact> explainedBy; // the hypotheses, the one that explains most of them first
};

struct Attribution {
  ElementCounts all;
  size_t replayed = 0; // wrong elements that were looked at: of very many every n-th, and counts are scaled
  std::vector<ClassAttribution> classes; // those that explain any, the likeliest first
  ElementCounts unexplained;

  ElementCounts of(BugClass bugClass) const;
};

// The classes of bugs that a hypothesis speaks for, the most usual first; of facts that are no hypothesis,
// none.
std::span<const BugClass> classesOf(Fact hypothesis);

Attribution attribute(const WrongElements &wrong, const std::vector<Explanation> &explanations,
                      const Probabilities &probabilities);

} // namespace tilerig::verify
