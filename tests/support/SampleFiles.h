// Made-up samples for tests of the files that store datasets.
#pragma once

#include "verify/Evidence/Shard.h"

namespace tilerig::verify::test {

// A sample of a dataset whose feature and channel data are made up. They depend on `number`, so that samples
// can be told apart.
inline Sample madeUpSample(uint8_t number, BugClass bugClass) {
  Sample sample;
  sample.evidence.channels = Tensor(DType::u8, {static_cast<int64_t>(numChannels), 64, 64});
  sample.evidence.channels.mutableAs<uint8_t>()[number] = number;
  sample.evidence.picture = Tensor(DType::u8, {static_cast<int64_t>(picturePlanes), 64, 64});
  sample.evidence.picture.mutableAs<uint8_t>()[0] = 7;
  sample.evidence.features[3] = static_cast<float>(number) / 4;
  sample.origin = {.bugClass = bugClass,
                   .bug = "bias-missing",
                   .text = "bias-missing@\"conv\"\n",
                   .stage = "operations",
                   .site = "bias section",
                   .family = "resnet",
                   .network = "resnet 8x8",
                   .precision = "int8",
                   .machine = "tr64",
                   .strategy = "DIRECTCONV",
                   .tiles = 3,
                   .layer = "conv",
                   .kind = "Conv",
                   .op = "Conv+Relu",
                   .against = "oracle",
                   .caught = "",
                   .unit = number};
  return sample;
}

} // namespace tilerig::verify::test
