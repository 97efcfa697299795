// Finds NaN and infinity in the inputs of a check. With such inputs, many results are NaN in reference and
// target alike, which would hide bugs.
#pragma once

#include "isa/Base/Tensor/TensorMap.h"

#include <string>

namespace tilerig::verify {

// Describes the inputs that contain NaN or infinity: "input 'x' has 3 NaN and 2 infinite elements"; empty if
// all elements are finite.
std::string describeNotFinite(const TensorMap &inputs);

} // namespace tilerig::verify
