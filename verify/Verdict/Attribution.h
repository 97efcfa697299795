// Counts how many of a tensor's wrong elements each class of bugs explains.
//
// The hypotheses that were tested on the elements (Evidence/Explanations.h) point to classes. The most
// probable class gets the elements that any of its hypotheses explains exactly; the next class gets the
// remaining elements that its own hypotheses explain, and so on. The procedure is then repeated with nearly
// explained elements. The other elements are counted as unexplained.
#pragma once

#include "verify/Evidence/Explanations.h"
#include "verify/Verdict/Classifier.h"

#include <span>
#include <vector>

namespace tilerig::verify {

struct ElementCounts {
  uint64_t elements = 0; // number of wrong elements
  uint64_t failed = 0;   // number of wrong elements that exceed the limits of the comparison
};

struct ClassAttribution {
  BugClass bugClass = BugClass::noError;
  ElementCounts counts;
  // Hypotheses that point to the class, the one that explains most elements first.
  std::vector<Feature> explainedBy;
};

struct Attribution {
  ElementCounts all;
  // Number of wrong elements that were tested: all or, if there are very many, every n-th; counts are then
  // scaled up.
  size_t replayed = 0;
  // Classes of bugs that explain any wrong element, the most probable first.
  std::vector<ClassAttribution> classes;
  ElementCounts unexplained;

  ElementCounts of(BugClass bugClass) const;
};

// The classes of bugs that a hypothesis points to, most frequent first; empty for features that name no
// hypothesis.
std::span<const BugClass> classesOf(Feature hypothesis);

Attribution attribute(const WrongElements &wrong, const std::vector<Explanation> &explanations,
                      const Probabilities &probabilities);

// Whether the layer gives nearly all wrong elements if it is computed again with a change of its operands that is typical of the class.
bool isReproduced(const Attribution &attribution, BugClass bugClass);

} // namespace tilerig::verify
