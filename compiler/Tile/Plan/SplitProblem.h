// What the choice of splits starts from: the network, the machine, what was requested of its layers, and
// which step computes and which steps read each tensor.
#pragma once

#include "compiler/Planning/Strategy/Hints.h"
#include "compiler/Tile/Ops/DeviceNetwork.h"
#include "isa/Machine/Machine.h"

namespace tilerig::compiler {

struct SplitProblem {
  // `hints`: one entry per layer, or empty. `pinned`: by step, whether its constants stay in the OCMs
  // (on-chip memories).
  SplitProblem(const DeviceNetwork &network, const Machine &machine, unsigned tiles,
               std::span<const Hints> hints, std::vector<bool> pinned);

  // Use of a tensor by a device operation: its step, and which of its operands the tensor is.
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
