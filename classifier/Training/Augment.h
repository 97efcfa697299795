// Data augmentation: hides or blurs measurements that a user may lack or that say nothing about the bug.
// Measurements are never mirrored or negated, because sign and position of an error say something about its
// cause.
//
// Some rows keep only what can be measured with two dumps of tensors, or with two dumps and the program. A
// channel may be removed, so that its weight in a verdict can be found by occlusion
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
// Hides everything that cannot be measured if the user has only what `has` states, for example two dumps of
// tensors.
Changes withoutMoreThan(verify::FeatureNeed has, const verify::Features &features);

} // namespace tilerig::classifier
