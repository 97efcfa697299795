// Data augmentation: hides or blurs measurements that a user may lack or that say nothing about the bug.
// Measurements are never mirrored or negated, because sign and position of an error say something about its
// cause.
//
// Some rows keep only what can be measured with two dumps of tensors, or with two dumps and the program.
// Other rows lose a channel: verdicts are later explained by removing channels (verify/Verdict/Saliency.h),
// so the classifier must be able to cope with missing ones. Sizes and the kind of layer are blurred or
// removed, so that the classifier does not learn to recognise networks.
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
// Hides all measurements that a user cannot make, for example if only two dumps of tensors are available.
Changes withoutMoreThan(verify::FeatureNeed has, const verify::Features &features);

} // namespace tilerig::classifier
