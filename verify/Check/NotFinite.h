// Inputs with NaN or infinity. Much of what is computed from them is NaN on both sides, whatever bug there is.
#pragma once

#include "isa/Tensor/TensorMap.h"

#include <string>

namespace tilerig::verify {

// For example "input 'x' has 3 NaN and 2 infinite elements"; empty if all elements are finite.
std::string describeNotFinite(const TensorMap &inputs);

} // namespace tilerig::verify
