// The elements of a tensor in memory, whatever their type; the parts of complex ones.
#pragma once

#include "isa/Tensor/Tensor.h"

#include <vector>

namespace tilerig::verify {

std::vector<double> numbersOf(const Tensor &tensor);

} // namespace tilerig::verify
