// The elements of a tensor of any type as doubles; each complex element becomes two numbers.
#pragma once

#include "isa/Base/Tensor/Tensor.h"

#include <vector>

namespace tilerig::verify {

std::vector<double> numbersOf(const Tensor &tensor);

} // namespace tilerig::verify
