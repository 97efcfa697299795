// Simulates another correct system, whose sums are in another order and which rounds at other places.
#pragma once

#include "classifier/Samples/Draw.h"
#include "isa/Base/Tensor/Tensor.h"

#include <optional>

namespace tilerig::verify {

// Simulates other rounding: changes some elements to the next number, up or down. In float32, where errors of
// sums are many such steps, changes all elements by a fraction of their root mean square. Zeros and values at
// the ends of the range are kept. Empty for other types, or if nothing changed.
std::optional<Tensor> roundedOtherwise(const Tensor &tensor, Draw draw);

} // namespace tilerig::verify
