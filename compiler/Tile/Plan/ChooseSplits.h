// Choice of splits: into which parts the result of every device operation is split among the tiles.
#pragma once

#include "compiler/Planning/Strategy/EngineMapping.h"
#include "compiler/Planning/Strategy/Hints.h"
#include "compiler/Tile/Ops/DeviceNetwork.h"
#include "compiler/Tile/Ops/Split.h"
#include "compiler/Tile/Plan/ProductSteps.h"
#include "isa/Machine/Machine.h"

#include <optional>

namespace tilerig::compiler {

struct Choice {
  Split split;
  EngineMapping engineMapping;
  // Estimated cycles of the operation. They include the loads of constants only if `product` is set.
  uint64_t cycles = 0;
  // if the operation is a product that loads both factors from DDR, the steps in which it is computed
  std::optional<ProductSteps> product = {};
  // For chains (tiles that divide the depth of a sum): number of boxes per axis into which a tile cuts its
  // share of the result; else empty.
  std::vector<int64_t> cuts = {};
  bool operator==(const Choice &) const = default;
};
// For each network step, the chosen split with its mapping and costs; default-constructed if the host runs
// the step.
using Choices = std::vector<Choice>;

// Returns one set of choices for each of `prices`. A price is the cost, in cycles, of keeping 1 KiB of
// constants in every OCM (on-chip memory). At a high price, weights are divided among the tiles, which leaves
// OCM space for later layers. At a low price, every tile may have all weights, which avoids the exchange of
// activations. If operations repeat, further sets follow in which they are split alike
// (AlikeSplits.h). `hints`: one entry per layer, or empty. Returns an error if no
// split of a layer satisfies its hints.
Result<std::vector<Choices>> chooseSplits(const DeviceNetwork &network, const Machine &machine,
                                          unsigned tiles, std::span<const Hints> hints,
                                          std::span<const uint64_t> prices);

struct PinnedChoices {
  // For each limit (bytes of an OCM) that can be kept, the fastest choices whose estimated peak is within that
  // limit; if no limit can be kept, several choices with different peaks. Peaks are estimates because addresses
  // are not known yet.
  std::vector<Choices> within;
  std::vector<Choices> alike; // sets in which repeated operations are split alike, with peaks within an OCM
};

// Chooses splits for a network in which the constants of the steps in `pinned` stay in the OCMs all the time.
// Returns an error if the pinned constants alone exceed an OCM.
Result<PinnedChoices> choosePinnedSplits(const DeviceNetwork &network, const Machine &machine, unsigned tiles,
                                         std::span<const Hints> hints, std::vector<bool> pinned,
                                         std::span<const uint64_t> limits);

} // namespace tilerig::compiler
