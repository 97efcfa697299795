// The operands of a layer that sums products, taken from the emitted ONNX model. They serve to recompute some
// elements of the layer's result (verify/Evidence/Product.h).
#pragma once

#include "verify/Check/Check.h"
#include "verify/Evidence/Product.h"

#include <memory>

namespace tilerig::verify {

// The operands of the layer that computes the tensor; null if that layer sums no products, or if its weights
// are not constant.
std::shared_ptr<const Product> productOf(const Check &check, const std::string &tensor);

} // namespace tilerig::verify
