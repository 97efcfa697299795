#include "compiler/Tile/Plan/Blocks.h"

#include <fmt/core.h>

namespace tilerig::compiler {

namespace {

const DeviceOp *findOp(const DeviceNetwork &network, size_t step) {
  return std::get_if<DeviceOp>(&network.steps[step]);
}

// Whether the operation can run band by band, as each band of its result depends on a few rows of the
// operands. Operations that only copy are excluded: outside a block, their result can become a tensor view,
// and then they cost nothing.
bool goesByBands(const DeviceOp &deviceOp) {
  switch (deviceOp.kind) {
  case DeviceOpKind::pointwise:
  case DeviceOpKind::conv:
  case DeviceOpKind::matmul:
  case DeviceOpKind::pool:
  case DeviceOpKind::resize:
  case DeviceOpKind::reduce:
  case DeviceOpKind::softmax:
  case DeviceOpKind::normalize:
    return true;
  case DeviceOpKind::gather:
  case DeviceOpKind::reshape:
  case DeviceOpKind::concat:
  case DeviceOpKind::pad:
  case DeviceOpKind::dilate:
    return false;
  }
  __builtin_unreachable();
}

bool reads(const NetworkStep &step, TensorIndex tensor) {
  if (const auto *host = std::get_if<HostStep>(&step))
    return std::ranges::find(host->inputs, std::optional(tensor)) != host->inputs.end();
  return std::ranges::find(std::get<DeviceOp>(step).operands, tensor, &Operand::tensor) !=
         std::get<DeviceOp>(step).operands.end();
}

// Whether the tensor is needed after the fusion block: a later device operation or host operator reads it, or
// it is an output of the network.
bool isReadOutside(const DeviceNetwork &network, const FusionBlock &block, TensorIndex tensor) {
  if (std::ranges::find(network.outputs, tensor) != network.outputs.end())
    return true;
  for (size_t step = block.last + 1; step < network.steps.size(); ++step)
    if (reads(network.steps[step], tensor))
      return true;
  return false;
}

// The box that the operation computes if `part` of its result is needed. It is larger than `part` along axes
// that cannot be split.
Box madeFor(const DeviceOp &deviceOp, const std::vector<int64_t> &shape, Box part) {
  for (size_t axis = 0; axis < part.rank() && !part.empty(); ++axis)
    if (!deviceOp.divisible[axis])
      part[axis] = {0, shape[axis]};
  return part;
}

} // namespace

std::optional<std::string> whyNoBlock(const DeviceNetwork &network, const FusionBlock &block) {
  for (size_t step = block.first; step <= block.last; ++step) {
    const DeviceOp *deviceOp = findOp(network, step);
    if (!deviceOp)
      return "a layer of the fusion block runs on the host";
    if (!goesByBands(*deviceOp))
      return fmt::format("layer '{}' cannot be computed band by band", network.layers[deviceOp->layer].name);
    if (step < block.last && isReadOutside(network, block, deviceOp->result))
      return fmt::format("the result of layer '{}' is also used outside the fusion block",
                         network.layers[deviceOp->layer].name);
  }
  return std::nullopt;
}

std::vector<Box> boxesOfBand(const DeviceNetwork &network, const FusionBlock &block, const Box &last) {
  std::vector<Box> boxes;
  for (size_t step = block.first; step <= block.last; ++step)
    boxes.emplace_back(network.tensors[findOp(network, step)->result].shape.size());
  boxes.back() = last;
  for (size_t reader = block.size(); reader-- > 0;) {
    const DeviceOp &deviceOp = *findOp(network, block.first + reader);
    boxes[reader] = madeFor(deviceOp, network.tensors[deviceOp.result].shape, boxes[reader]);
    for (const Operand &operand : deviceOp.operands)
      for (size_t maker = 0; maker < reader; ++maker)
        if (findOp(network, block.first + maker)->result == operand.tensor && !boxes[reader].empty())
          boxes[maker] =
              hull(boxes[maker], neededBox(operand, network.tensors[operand.tensor], boxes[reader]));
  }
  return boxes;
}

bool isBandComputable(const DeviceNetwork &network, const FusionBlock &block, const Box &last) {
  const std::vector<Box> boxes = boxesOfBand(network, block, last);
  for (size_t i = 0; i < boxes.size(); ++i)
    if (boxes[i].empty() || !isComputable(*findOp(network, block.first + i), network.tensors, boxes[i]))
      return false;
  return true;
}

} // namespace tilerig::compiler
