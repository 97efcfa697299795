// The data with which the choice of splits begins: the network, the machine, the hints for its layers, and
// for each tensor the steps that compute and read it.
#pragma once

#include "compiler/Planning/Strategy/Hints.h"
#include "compiler/Tile/Ops/DeviceNetwork.h"
#include "isa/Machine/Machine.h"

namespace tilerig::compiler {

struct SplitProblem {
  // `hints` has one entry for each layer, or is empty. `pinned` says for each step whether its constants stay
  // in the OCMs (on-chip memories).
  SplitProblem(const DeviceNetwork &network, const Machine &machine, unsigned tiles,
               std::span<const Hints> hints, std::vector<bool> pinned);

  // One use of a tensor by a device operation: the operation's step, and the number of the operand.
  struct Use {
    size_t step = 0, operand = 0;
  };

  // The device operation of a step; null for a step of the host.
  const DeviceOp *opAt(size_t step) const { return std::get_if<DeviceOp>(&network.steps[step]); }
  const std::vector<int64_t> &resultShape(const DeviceOp &deviceOp) const {
    return network.tensors[deviceOp.result].shape;
  }
  Hints hintsOf(const DeviceOp &deviceOp) const { return hints.empty() ? Hints{} : hints[deviceOp.layer]; }
  // Whether the step is a matrix product that reads both factors from DDR, because no device operation
  // produces either.
  bool isFedByDdr(size_t step) const;

  const DeviceNetwork &network;
  const Machine &machine;
  unsigned tiles;
  std::span<const Hints> hints;
  std::vector<bool> pinned;
  std::vector<std::optional<size_t>> producers; // for each tensor, the step that computes it
  std::vector<std::vector<Use>> uses;           // for each tensor, the steps that read it, in order of time
};

} // namespace tilerig::compiler
