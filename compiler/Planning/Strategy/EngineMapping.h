// How a device operation is mapped to the engines of a tile: matrix mapping and im2col mode. All mappings
// compute the same bits.
#pragma once

#include "isa/Instructions/Types.h"

namespace tilerig::compiler {

// Im2col mode of a convolution: none (direct convolution); whole (the PE lays out all windows as rows of a
// matrix before the POD multiplies); overlapped (in bands: the PE lays out one band while the POD multiplies
// the previous).
enum class Flattening : uint8_t { none, whole, overlapped };

struct EngineMapping {
  Mapping mapping = Mapping::lamm; // how a matrix product is mapped to the POD; unused otherwise
  Flattening flattening = Flattening::none;
  bool operator==(const EngineMapping &) const = default;
};

} // namespace tilerig::compiler
