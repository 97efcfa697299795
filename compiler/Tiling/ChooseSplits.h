// Into which parts every work is cut.
#pragma once

#include "compiler/Strategy/Hints.h"
#include "compiler/Tiling/DeviceNetwork.h"
#include "compiler/Tiling/ProductSteps.h"
#include "compiler/Tiling/Split.h"
#include "compiler/Tiling/Way.h"
#include "isa/Machine/Machine.h"

#include <optional>

namespace tilerig {

struct Choice {
  Split split;
  Way way;
  uint64_t cycles = 0; // what it takes, once its constants are there; of `product`, with all its loads
  std::optional<ProductSteps> product = {}; // whose factors both come from DDR
  std::vector<int64_t> cuts = {};           // of the share of a chain, into boxes; else none
  bool operator==(const Choice &) const = default;
};
using Choices = std::vector<Choice>; // by step of the network; empty for those of the host

// One for each price, in cycles, of a KiB of constants in every OCM: weights that are shared out among all
// tiles leave room for those of later layers, weights that all tiles have spare them the exchange of
// activations. `hints` are by layer, or none at all; what no way of cutting a layer meets is refused.
Result<std::vector<Choices>> chooseSplits(const DeviceNetwork &network, const Machine &machine,
                                          unsigned tiles, std::span<const Hints> hints,
                                          std::span<const uint64_t> prices);

// Where the constants of some steps stay in the OCMs all the time: the fastest for which so many bytes of an
// OCM are enough, for each limit that can be kept to; if none can, some with different needs. As far as can
// be told: addresses are not known yet. Constants that fill more than an OCM by themselves are refused.
Result<std::vector<Choices>> choosePinnedSplits(const DeviceNetwork &network, const Machine &machine,
                                                unsigned tiles, std::span<const Hints> hints,
                                                std::vector<bool> pinned, std::span<const uint64_t> limits);

} // namespace tilerig
