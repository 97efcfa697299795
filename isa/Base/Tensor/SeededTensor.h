// Random inputs of models and programs. The same seed, name, type and shape give the same values everywhere,
// so that the reference and the emulator generate the same inputs from one seed.
#pragma once

#include "isa/Base/Tensor/Tensor.h"

#include <cstdint>
#include <string_view>

namespace tilerig {

// Describes the distribution of the random values, for users.
extern const char *const seededDistribution;

// For types of 16-bit floats the result has type f32. The reference and the emulator share this function but
// no arithmetic, so each rounds the values to 16 bits itself.
Result<Tensor> seededTensor(DType type, const Shape &shape, uint64_t seed, std::string_view name);

} // namespace tilerig
