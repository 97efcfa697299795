// What another system may give that is as right: its sums are in another order, and it rounds at other
// places.
#pragma once

#include "isa/Tensor/Tensor.h"
#include "verify/Samples/Draw.h"

#include <optional>

namespace tilerig::verify {

// Some of the elements are the next number, up or down; of float32, where errors of sums are many such steps,
// all are off by a share of their root mean square. Zeros stay, and what is at the end of its range. Nothing
// for other types, or if nothing came out different.
std::optional<Tensor> roundedOtherwise(const Tensor &tensor, Draw draw);

} // namespace tilerig::verify
