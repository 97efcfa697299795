// Simulates another correct system, which adds up sums in another order and rounds at other places than
// tilerig.
#pragma once

#include "classifier/Samples/Draw.h"
#include "isa/Base/Tensor/Tensor.h"

#include <optional>

namespace tilerig::verify {

// Simulates other rounding by changing some elements to the next larger or smaller number. In a float32
// tensor, whose sums have larger errors, all elements are changed by a small fraction of the tensor's root
// mean square. Zeros and the ends of the range are kept. Returns nothing if no element was changed, or if the
// type of the tensor is not supported.
std::optional<Tensor> roundedOtherwise(const Tensor &tensor, Draw draw);

} // namespace tilerig::verify
