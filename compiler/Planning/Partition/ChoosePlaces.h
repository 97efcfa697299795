// Placement of layers that both the accelerator and the host can run; plain data, without MLIR.
//
// The cost model is the time of the network's regions (Regions.h): the accelerator's layers, a pass through
// DDR for each accelerator region, the host kernels, one call per host region, and the transfers over the
// link (isa/Timing/Host.h). A small layer between two host operators is often faster on the host, because
// otherwise it splits one host call into two.
//
// A minimum cut makes a first proposal, in which every tensor that passes from the accelerator to the host
// costs a call. That overestimates the number of calls, so the proposal moves too many layers to the host
// rather than too few. Local search follows: one after another, connected groups of moved layers and single
// layers are put into the place in which the whole network is faster, until nothing changes.
#pragma once

#include "compiler/Planning/Partition/Regions.h"

#include <cstdint>
#include <optional>

namespace tilerig::compiler {

struct TensorUse {
  size_t tensor = 0; // number that identifies the tensor in all layers that use it
  uint64_t bytes = 0;
};

struct CostedLayer {
  PlacedLayer placed;                  // the layer in its default place (accelerator or host)
  bool isFree = false;                 // whether both the accelerator and the host can run the layer
  uint64_t acceleratorNanoseconds = 0; // time of the layer on the accelerator, if it can run there
  // Number of operations of the host's kernel, if the host can run the layer.
  uint64_t hostOperations = 0;
  std::vector<TensorUse> inputs = {}, outputs = {};
};

// Time of the whole network with the layers in these places, in nanoseconds. `passage`: fixed cost in
// nanoseconds of each group of layers on the accelerator, whatever its size.
uint64_t nanosecondsOf(std::span<const CostedLayer> layers, std::span<const LayerPlace> places,
                       uint64_t passage);

struct ChosenPlace {
  LayerPlace place = LayerPlace::accelerator;
  // Time of the whole network if the layer, and the layers that move together with it, are on the accelerator
  // or on the host. Set only for layers that both can run (`isFree`).
  struct Times {
    uint64_t onAccelerator = 0, onHost = 0; // nanoseconds
    bool operator==(const Times &) const = default;
  };
  std::optional<Times> times = {};
};

// Returns the fastest placement found. If both places are equally fast, a layer stays on the accelerator.
std::vector<ChosenPlace> choosePlaces(std::span<const CostedLayer> layers, uint64_t passage);

} // namespace tilerig::compiler
