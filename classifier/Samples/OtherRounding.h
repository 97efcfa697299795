// Simulates another correct system, which adds up sums in another order and rounds at other places than
// tilerig.
#pragma once

#include "classifier/Samples/Draw.h"
#include "isa/Base/Tensor/Tensor.h"

#include <optional>

namespace tilerig::verify {

// Simulates other rounding: changes some elements to the next larger or smaller number. All elements of a
// float32 tensor are changed, by a small fraction of their root mean square, because errors of float32 sums
// are many units in the last place. Zeros and values at the ends of the range are kept. Empty for other
// types, or if nothing changed.
std::optional<Tensor> roundedOtherwise(const Tensor &tensor, Draw draw);

} // namespace tilerig::verify
