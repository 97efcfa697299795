// Explains a verdict by occlusion: how much less probable the class of bugs becomes if a channel (map) or
// feature (number) is removed from the classifier's input.
//
// Occlusion is used instead of gradients because an occluded channel looks like one that was never there, for
// which the classifier is trained (classifier/Training/Augment.h).
#pragma once

#include "verify/Evidence/Channels.h"
#include "verify/Evidence/Densities.h"
#include "verify/Verdict/Classifier.h"

#include <string>
#include <vector>

namespace tilerig::verify {

struct Reason {
  std::string name;  // name of the channel or feature of the evidence, as in files
  std::string words; // what the channel or feature shows
  float weight = 0;  // how much the log-odds of the class of bugs decrease without the channel or feature
};

// The channels and features that weigh most for a class of bugs, the heaviest first: up to `most` of them,
// each with at least a tenth of the largest weight.
Result<std::vector<Reason>> findReasons(const Classifier &classifier, const Evidence &evidence,
                                        BugClass bugClass, size_t most = 5);

} // namespace tilerig::verify
