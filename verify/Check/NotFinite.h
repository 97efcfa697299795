// Finds NaN and infinity in the inputs of a check. Much of what is computed from such inputs is NaN in the
// reference and in the target, whatever bug there is.
#pragma once

#include "isa/Base/Tensor/TensorMap.h"

#include <string>

namespace tilerig::verify {

// Describes the inputs that contain NaN or infinity: "input 'x' has 3 NaN and 2 infinite elements"; empty if
// all elements are finite.
std::string describeNotFinite(const TensorMap &inputs);

} // namespace tilerig::verify
