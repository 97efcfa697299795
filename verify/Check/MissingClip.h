// Recognises 9-bit results that were stored in 8 bits without clipping, so that they wrap around. Often only
// a single element of a tensor is wrong.
#pragma once

#include "verify/Check/JudgeTensors.h"

namespace tilerig::verify {

// Whether a missing clip explains all wrong elements: the program narrows 9-bit results of the layer to 8
// bits without clipping, each reference is at an end of the 8-bit range, and each target has the low eight
// bits of a value beyond that end.
bool lacksClip(const Program &program, const std::string &tensor, const Tensor &reference,
               const Tensor &target);

} // namespace tilerig::verify
