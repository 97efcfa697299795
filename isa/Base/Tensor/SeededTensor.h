// Random inputs of models and programs. The same seed, name, type and shape give the same values everywhere,
// so that the reference and the emulator generate the same inputs from one seed.
#pragma once

#include "isa/Base/Tensor/Tensor.h"

#include <cstdint>
#include <string_view>

namespace tilerig {

// The distribution of the values, as text.
extern const char *const seededDistribution;

// Floats of 16 bits are returned as f32: the caller rounds them with its own arithmetic, since the reference
// shares no arithmetic with the emulator.
Result<Tensor> seededTensor(DType type, const Shape &shape, uint64_t seed, std::string_view name);

} // namespace tilerig
