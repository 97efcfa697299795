// Data augmentation: hides or blurs evidence that a user may lack or that says nothing about the bug.
// Evidence is never mirrored or negated: results that are too large have another cause than results that are
// too small, the first and the last channel differ, and the borders between tiles (seams) have fixed places.
//
// Some rows keep only the evidence that two dumps of tensors give, or only that which two dumps and the
// program give. A channel may be removed, so that its weight in a verdict can be found by occlusion
// (verify/Verdict/Saliency.h). Sizes and the kind of layer are blurred or removed, so that no network is
// recognised by them.
#pragma once

#include "classifier/Training/Chance.h"
#include "verify/Evidence/Channels.h"

#include <bitset>

namespace tilerig::classifier {

struct Changes {
  std::bitset<verify::numChannels> missingChannels;
  verify::Features features;
};

Changes augment(const verify::Features &features, Chance chance);
// Hides all evidence that cannot be measured if the user has only what `has` states, for example two dumps of
// tensors.
Changes withoutMoreThan(verify::FeatureNeed has, const verify::Features &features);

} // namespace tilerig::classifier
