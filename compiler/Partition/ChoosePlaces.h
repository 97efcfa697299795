// Where layers run that both the accelerator and the host can run: plain data, without MLIR.
//
// A network takes the time of its regions (Regions.h): the accelerator's layers, a way through DDR for each
// region of the accelerator, the host's kernels, a call for each turn of the host, and what crosses the link
// (isa/Timing/Host.h). A small layer between two operators of the host costs the accelerator little, but the
// host a second call; a large one is worth it.
//
// The number of turns is a property of the whole network, which no sum over layers and edges states. So a
// least cut proposes, with a call at every edge from the accelerator to the host: that is too much where
// edges share a turn, so that it moves rather too many layers than too few. Connected groups of what it
// moves, and layers alone, then get the place in which the whole network is faster, one after the other,
// until none changes its place.
#pragma once

#include "compiler/Partition/Regions.h"

#include <cstdint>
#include <optional>

namespace tilerig {

struct TensorUse {
  size_t tensor = 0; // any number that is the same wherever that tensor is used
  uint64_t bytes = 0;
};

struct CostedLayer {
  PlacedLayer placed;                  // where it runs unless the other place is cheaper
  bool isFree = false;                 // whether both places can run it; it stands on the accelerator then
  uint64_t acceleratorNanoseconds = 0; // if the accelerator can run it
  uint64_t hostOperations = 0;         // if the host can
  std::vector<TensorUse> inputs = {}, outputs = {};
};

// The whole network with its layers in these places. `passage`: nanoseconds of a region of the accelerator,
// however small it is.
uint64_t nanosecondsOf(std::span<const CostedLayer> layers, std::span<const LayerPlace> places,
                       uint64_t passage);

struct ChosenPlace {
  LayerPlace place = LayerPlace::accelerator;
  // Of the whole network with the layer, and what moves together with it, in either place; for layers that
  // are free.
  struct Times {
    uint64_t onAccelerator = 0, onHost = 0; // nanoseconds
    bool operator==(const Times &) const = default;
  };
  std::optional<Times> times = {};
};

// The cheapest that is found. The accelerator keeps a layer unless the host is cheaper.
std::vector<ChosenPlace> choosePlaces(std::span<const CostedLayer> layers, uint64_t passage);

} // namespace tilerig
