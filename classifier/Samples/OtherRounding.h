// Simulates another correct system, which adds up sums in another order and rounds at other places than
// tilerig.
#pragma once

#include "classifier/Samples/Draw.h"
#include "isa/Base/Tensor/Tensor.h"

#include <optional>

namespace tilerig::verify {

// Simulates other rounding: changes some elements to the next number, up or down. The errors of float32 sums
// are many such steps, so all elements of a float32 tensor are changed, by a fraction of their root mean
// square. Zeros and values at the ends of the range are kept. Empty for other types, or if nothing changed.
std::optional<Tensor> roundedOtherwise(const Tensor &tensor, Draw draw);

} // namespace tilerig::verify
