#include "verify/Tools/LimitOptions.h"

namespace tilerig::verify {

void LimitOptions::declare(CommandOptions &line) {
  line.addOption("--oom-limit", oomLimit,
                 "discard elements more than this many times smaller than the "
                 "largest element of their tensor")
      .atLeast(leastOomLimit)
      .showDefault();
  line.addOption("--rel-err", relErr, "largest relative error, in percent, at which an element passes")
      .atLeast(0)
      .showDefault();
  line.addOption("--bit-off", bitOff,
                 "largest difference, in quantisation steps, at which an element of an "
                 "8-bit tensor passes")
      .atLeast(0)
      .showDefault();
  line.addOption("--anchor", anchor,
                 "magnitude that --oom-limit is relative to: the tensor's largest "
                 "element, its second largest, or its root mean square")
      .oneOf({"max", "second", "rms"})
      .showDefault();
}

Limits LimitOptions::limits() const {
  Limits limits;
  limits.oom = oomLimit;
  limits.relativePercent = relErr;
  limits.bitOff = bitOff;
  limits.anchor = anchor == "rms"      ? Anchor::rms
                  : anchor == "second" ? Anchor::secondLargest
                                       : Anchor::largest;
  return limits;
}

} // namespace tilerig::verify
