// Reads the JSON files of Polygraphy, NVIDIA's tool for comparing inference systems: what `polygraphy run --save-outputs` and `--save-inputs`
// write. Arrays are .npy files in base64.
#pragma once

#include "isa/Base/Tensor/TensorFilter.h"
#include "isa/Base/Tensor/TensorMap.h"

#include <string_view>

namespace tilerig {

// Parses the results of one runner in one iteration, or the inputs of one. A file with several is refused: which of them is meant?
Result<TensorMap> parsePolygraphyJson(std::string_view text, const std::string &place,
                                      const TensorFilter &filter = {});

} // namespace tilerig
