// Conversion of whole spans between fp32 and the 16-bit floats, at the speed of memory. Results have the same
// bits as those of Fp16.h and Bf16.h.
//
// The spans of one call have equal lengths and do not overlap.
#pragma once

#include "isa/Numerics/Bf16.h"
#include "isa/Numerics/Fp16.h"

#include <span>

namespace tilerig {

void toFloat(std::span<const Fp16> in, std::span<float> out);
void toFloat(std::span<const Bf16> in, std::span<float> out);
void fromFloat(std::span<const float> in, std::span<Fp16> out);
void fromFloat(std::span<const float> in, std::span<Bf16> out);

} // namespace tilerig
