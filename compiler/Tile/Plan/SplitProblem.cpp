#include "compiler/Tile/Plan/SplitProblem.h"

namespace tilerig::compiler {

SplitProblem::SplitProblem(const DeviceNetwork &network, const Machine &machine, unsigned tiles,
                           std::span<const Hints> hints, std::vector<bool> pinned)
    : network(network), machine(machine), tiles(tiles), hints(hints), pinned(std::move(pinned)),
      producers(network.tensors.size()), uses(network.tensors.size()) {
  for (size_t step = 0; step < network.steps.size(); ++step)
    if (const DeviceOp *deviceOp = opAt(step)) {
      producers[deviceOp->result] = step;
      for (size_t operand = 0; operand < deviceOp->operands.size(); ++operand)
        uses[deviceOp->operands[operand].tensor].push_back({step, operand});
    }
}

bool SplitProblem::isFedByDdr(size_t step) const {
  const DeviceOp &deviceOp = *opAt(step);
  return deviceOp.kind == DeviceOpKind::matmul && !pinned[step] && !producers[deviceOp.operands[0].tensor] &&
         !producers[deviceOp.operands[1].tensor] && depthOf(deviceOp, network.tensors) > 0;
}

} // namespace tilerig::compiler
