// Which evidence speaks for a verdict: what is left of it when a channel, or a fact, is taken away.
//
// Gradients would say more of less: an occluded channel is one that was never there, which is what the
// classifier was trained to do without (classifier/Training/Augment.h).
#pragma once

#include "verify/Evidence/Channels.h"
#include "verify/Evidence/Densities.h"
#include "verify/Verdict/Classifier.h"

#include <string>
#include <vector>

namespace tilerig::verify {

struct Reason {
  std::string name;  // of the channel or fact, as in files
  std::string words; // what it shows
  float weight = 0;  // by how much the class' log-odds fall without it
};

// Those that weigh at least a tenth of the heaviest, the heaviest first.
Result<std::vector<Reason>> findReasons(const Classifier &classifier, const Evidence &evidence,
                                        BugClass bugClass, size_t most = 5);

} // namespace tilerig::verify
