// Explains a verdict by occlusion: how much the class loses if a channel or fact is removed from the
// evidence.
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
  std::string name;  // name of the channel or fact, as in files
  std::string words; // what it shows
  float weight = 0;  // decrease of the class's log-odds without it
};

// Returns up to `most` reasons that weigh at least a tenth of the heaviest, heaviest first.
Result<std::vector<Reason>> findReasons(const Classifier &classifier, const Evidence &evidence,
                                        BugClass bugClass, size_t most = 5);

} // namespace tilerig::verify
