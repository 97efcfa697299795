// How many elements of a tensor each tile holds, and how many of these differ from the reference.
#pragma once

#include "verify/Evidence/Circumstances.h"
#include "verify/Metrics/Comparison.h"

#include <cstdint>
#include <map>
#include <vector>

namespace tilerig::verify {

struct TileCount {
  uint64_t elements = 0, different = 0;
};

// By tile. `differs` says of each element of a tensor of that shape whether it differs. Elements that several tiles hold count
// for each of them.
std::map<uint32_t, TileCount> countByTile(const Shape &shape, const std::vector<TilePart> &parts,
                                          const std::vector<bool> &differs);

// The same for a pair of tensors that were compared.
Result<std::map<uint32_t, TileCount>> countByTile(const TensorStream &reference, const TensorStream &target,
                                                  const Comparison &comparison,
                                                  const std::vector<TilePart> &parts);

} // namespace tilerig::verify
