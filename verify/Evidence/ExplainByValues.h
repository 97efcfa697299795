// Hypotheses about how wrong values may follow from right ones. Testing them needs only reference and target.
//
//   byChannelOffset   a number was added to a channel
//   powerGains        a channel was multiplied by a power of two
//   replayShiftedInput
//                     the whole image was shifted by up to three rows or columns
//   bestLag           values of other elements at a fixed distance, or only in a part of the image
//   transposed, channelsLast
//                     rows and columns, or channels and image, were exchanged
//   otherChannels     values of another channel, to which an offset may be added
//   zeroTargets       wrong elements are zeros
//   commonTarget      all elements of a channel have one value
//   byValue           the wrong value is a function of the right value
//   referencesAtRail, targetsAtRail
//                     a bound of the range was not applied, or is too narrow
//   borderDifferent   errors of a channel lie only at the border of the image
//   halfRange, negated, smallSteps
//                     128 steps off; the sign inverted; one step or unit in the last place off
//   varying           additional runs gave other values
#pragma once

#include "verify/Evidence/Explanations.h"

namespace tilerig::verify {

std::vector<Explanation> explainByValues(const WrongElements &wrong, const Circumstances &known);

} // namespace tilerig::verify
