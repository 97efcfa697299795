// Recognises results that lost their ninth bit on the way to memory: a clipping error, in which often only a
// single element wraps around.
#pragma once

#include "verify/Check/JudgeTensors.h"

namespace tilerig::verify {

// Whether the program narrows 9-bit results of the tensor's layer to 8 bits without clipping them, and every
// wrong element has the value that this stores: the reference is at an end of the 8-bit range, and the target
// has the low eight bits of a 9-bit value beyond that end.
bool lacksClip(const Program &program, const CheckedTensor &tensor);

} // namespace tilerig::verify
