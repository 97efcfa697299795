#include "compiler/Tile/Emit/TileLevel.h"

#include "compiler/Tile/Emit/DescribeProgram.h"

#include <fmt/core.h>

namespace tilerig::compiler {

namespace {

std::vector<Purpose> purposesOf(const DeviceTensor &tensor, const TensorPlace &place) {
  std::vector<Purpose> all;
  const Box whole = Box::whole(tensor.shape);
  for (size_t tile = 0; tile < place.kept.size(); ++tile)
    all.push_back(place.kept[tile].empty()    ? Purpose::none
                  : place.kept[tile] == whole ? Purpose::gather
                  : place.owned[tile].empty() ? Purpose::rebalance
                                              : Purpose::halo);
  return all;
}

class Describer {
public:
  Describer(const DeviceNetwork &network, const TilePlan &plan) : network(network), plan(plan) {
    for (size_t i = 0; i < plan.memory.buffers.size(); ++i) {
      const Buffer &buffer = plan.memory.buffers[i];
      all.push_back({.name = "",
                     .address = plan.addresses[i],
                     .sizeBytes = buffer.size,
                     .from = buffer.from,
                     .to = buffer.to});
    }
  }

  std::vector<PlannedBuffer> describe(ByteRange constants) {
    for (TensorIndex i = 0; i < network.tensors.size(); ++i)
      describeTensor(i);
    for (size_t i = 0; i < network.steps.size(); ++i)
      if (const DeviceOp *deviceOp = std::get_if<DeviceOp>(&network.steps[i]))
        describeOp(*deviceOp, plan.deviceOps[i]);
    if (constants.size() > 0)
      addInDdr("constants", constants.begin, constants.size());
    return std::move(all);
  }

private:
  void describeTensor(TensorIndex index) {
    const DeviceTensor &tensor = network.tensors[index];
    const TensorPlace &place = plan.places[index];
    if (place.inOcm && !plan.views[index]) {
      all[place.buffer].name = nameOf(network, index);
      all[place.buffer].receives = purposesOf(tensor, place);
    }
    if (place.inDdr && !tensor.constant())
      addInDdr(nameOf(network, index), place.ddrAddress, tensor.sizeInBytes());
  }

  void describeOp(const DeviceOp &deviceOp, const OpPlan &its) {
    const std::string &layer = network.layers[deviceOp.layer].name;
    for (size_t operand = 0; operand < its.stages.size(); ++operand)
      if (const TensorIndex tensor = deviceOp.operands[operand].tensor; !plan.places[tensor].inBands)
        for (const Staging &staging : its.stages[operand])
          if (!staging.isHeld)
            all[staging.buffer].name = fmt::format("{} for {}", nameOf(network, tensor), layer);
    for (const Staging &staging : its.vectorStages)
      if (!staging.isHeld)
        all[staging.buffer].name = fmt::format("vectors of {}", layer);
    for (const size_t buffer : its.resultBuffers)
      all[buffer].name = plan.places[deviceOp.result].inBands
                             ? "band of " + nameOf(network, deviceOp.result)
                             : "staged result " + nameOf(network, deviceOp.result);
    for (const size_t buffer : its.sumBuffers)
      all[buffer].name = fmt::format("accumulators of {}", layer);
    if (!its.chainDepths.empty())
      for (size_t half = 0; half < its.sentSums.size(); ++half) {
        all[its.sentSums[half]].name = fmt::format("sent accumulators of {}", layer);
        all[its.receivedSums[half]].name = fmt::format("received accumulators of {}", layer);
      }
    for (const size_t buffer : its.scratchBuffers)
      all[buffer].name = fmt::format("scratch of {}", layer);
  }

  void addInDdr(const std::string &name, uint64_t address, uint64_t sizeBytes) {
    all.push_back({.name = name,
                   .space = Space::ddr,
                   .address = address,
                   .sizeBytes = sizeBytes,
                   .from = 0,
                   .to = UINT32_MAX});
  }

  const DeviceNetwork &network;
  const TilePlan &plan;
  std::vector<PlannedBuffer> all; // the buffers in the OCMs in the order of the plan, then those in DDR
};

} // namespace

std::vector<PlannedBuffer> describeBuffers(const DeviceNetwork &network, const TilePlan &plan,
                                           ByteRange constants) {
  return Describer(network, plan).describe(constants);
}

} // namespace tilerig::compiler
