// Hypotheses that need nothing but the two tensors: what may have happened to the values that were due.
//
//   byChannelOffset   a number was added to a channel
//   powerGains        a channel was multiplied by a power of two
//   replayShiftedInput, bestLag
//                     the values of another place: of whole rows and columns of the image up to three away,
//                     and of all of it; of another distance, or of a part
//   transposed, channelsLast
//                     rows and columns, or channels and image, changed places
//   otherChannels     the values of another channel, or those a number off
//   zeroTargets       zeros
//   commonTarget      one value for all of a channel
//   byValue           a function of the value that was due
//   referencesAtRail, targetsAtRail
//                     a bound of the range was not applied, or is too narrow
//   borderDifferent   of a channel, errors at the border of the image alone
//   halfRange, negated, smallSteps
//                     128 steps off; the other sign; one step or unit of the last place off
//   varying           other runs gave other values
#pragma once

#include "verify/Evidence/Explanations.h"

namespace tilerig::verify {

std::vector<Explanation> explainByValues(const WrongElements &wrong, const Circumstances &known);

} // namespace tilerig::verify
