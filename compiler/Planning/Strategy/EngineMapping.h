// How a device operation is mapped to the engines of a tile: matrix mapping and im2col mode. All mappings
// compute the same bits.
#pragma once

#include "isa/Instructions/Types.h"

namespace tilerig::compiler {

// Im2col mode of a convolution: none (direct convolution); whole (the PE, the vector engine, copies all
// windows to the rows of a matrix before the POD, the matrix engine, multiplies it); overlapped (in bands:
// the PE copies the windows of one band while the POD multiplies those of the previous band).
enum class Flattening : uint8_t { none, whole, overlapped };

struct EngineMapping {
  Mapping mapping = Mapping::lamm; // how a matrix product is computed on the POD (matrix engine)
  Flattening flattening = Flattening::none;
  bool operator==(const EngineMapping &) const = default;
};

} // namespace tilerig::compiler
