// What a layer that sums products was given, from the emitted model: so that evidence can compute some of its
// elements again (verify/Evidence/Product.h).
#pragma once

#include "verify/Check/Check.h"
#include "verify/Evidence/Product.h"

#include <memory>

namespace tilerig::verify {

// Null where the tensor is no such layer's result, or its weights are no constants.
std::shared_ptr<const Product> productOf(const Check &check, const std::string &tensor);

} // namespace tilerig::verify
