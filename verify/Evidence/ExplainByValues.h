// Hypotheses about how wrong values may follow from right ones. Testing them needs only reference and target.
//
//   byChannelOffset   a number was added to a channel
//   powerGains        a channel was multiplied by a power of two
//   replayShiftedInput
//                     the whole image was shifted by up to three rows or columns
//   bestLag           values of another place, at another distance or in a part of the image only
//   transposed, channelsLast
//                     rows and columns, or channels and image, were exchanged
//   otherChannels     values of another channel, or these plus an offset
//   zeroTargets       zeros
//   commonTarget      one value for all of a channel
//   byValue           a function of the right value
//   referencesAtRail, targetsAtRail
//                     a bound of the range was not applied, or is too narrow
//   borderDifferent   errors of a channel lie only at the border of the image
//   halfRange, negated, smallSteps
//                     128 steps off; the sign inverted; one step or unit in the last place off
//   varying           other runs gave other values
#pragma once

#include "verify/Evidence/Explanations.h"

namespace tilerig::verify {

std::vector<Explanation> explainByValues(const WrongElements &wrong, const Circumstances &known);

} // namespace tilerig::verify
