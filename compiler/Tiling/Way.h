// In which way a work goes through the engines of a tile. The bits are the same in all.
#pragma once

#include "isa/Instructions/Types.h"

namespace tilerig {

// Of a convolution: directly, or as a product of matrices once its windows are laid out as rows by the PE;
// all of them first, or in bands, so that the PE lays out one while the POD multiplies the one before.
enum class Flattening : uint8_t { none, whole, overlapped };

struct Way {
  Mapping mapping = Mapping::lamm; // of a product
  Flattening flattening = Flattening::none;
  bool operator==(const Way &) const = default;
};

} // namespace tilerig
