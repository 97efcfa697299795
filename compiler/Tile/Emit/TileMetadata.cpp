#include "compiler/Tile/Emit/TileMetadata.h"

#include "compiler/Tile/Emit/DescribeProgram.h"
#include "isa/Base/Support/Json.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

namespace tilerig::compiler {

namespace {

std::string_view nameOfKind(DeviceOpKind kind) {
  static constexpr std::array<std::string_view, 13> names = {
      "pointwise", "conv",   "matmul",  "pool",   "resize", "reduce", "softmax",
      "normalize", "gather", "reshape", "concat", "pad",    "dilate"};
  return names[static_cast<size_t>(kind)];
}

std::string_view nameOfMapping(Mapping mapping) {
  return mapping == Mapping::lamm ? "LAMM" : mapping == Mapping::samm1 ? "SAMM1" : "SAMM2";
}

std::string_view nameOfFlattening(Flattening flattening) {
  static constexpr std::array<std::string_view, 3> names = {"DIRECTCONV", "FLATTEN_MM", "FLATTEN_MM_OVERLAP"};
  return names[static_cast<size_t>(flattening)];
}

class TileDocument {
public:
  TileDocument(const DeviceNetwork &network, const TilePlan &plan, const PlanOptions &options,
               const StrategyFile &strategy, const Program &program)
      : network(network), plan(plan), options(options), strategy(strategy), program(program) {}

  Json document(const std::vector<PlannedBuffer> &buffers) const {
    Json layers = Json::array(), tensors = Json::array(), all = Json::array();
    for (size_t i = 0; i < network.layers.size(); ++i)
      layers.push_back(layerRecord(static_cast<uint32_t>(i)));
    for (TensorIndex i = 0; i < network.tensors.size(); ++i)
      if (!network.tensors[i].constant())
        tensors.push_back(tensorRecord(i));
    for (const PlannedBuffer &buffer : buffers)
      all.push_back({{"name", buffer.name},
                     {"space", buffer.space == Space::ddr ? "ddr" : "ocm"},
                     {"address", buffer.address},
                     {"bytes", buffer.sizeBytes},
                     {"from", buffer.from},
                     {"to", buffer.to}});
    return {{"file_type", "tile"},
            {"version", 1},
            {"machine", program.machine.name},
            {"tiles", plan.tiles},
            {"ocm_peak_bytes", plan.ocmPeak},
            {"ddr_bytes", plan.ddrEnd},
            {"foreseen_cycles", plan.foreseenCycles},
            {"layers", std::move(layers)},
            {"tensors", std::move(tensors)},
            {"buffers", std::move(all)}};
  }

private:
  struct Decision {
    std::string choice, reason;
  };

  // --- JSON records of layers ---

  Json layerRecord(uint32_t layer) const {
    const StrategyLayer &its = strategy.layers[layer];
    Json deviceOps = Json::array();
    for (size_t i = 0; i < network.steps.size(); ++i)
      if (const DeviceOp *deviceOp = std::get_if<DeviceOp>(&network.steps[i]);
          deviceOp && deviceOp->layer == layer)
        deviceOps.push_back(opRecord(*deviceOp, plan.deviceOps[i]));
    return {{"id", layer + 1},
            {"name", network.layers[layer].name},
            {"kind", network.layers[layer].kind},
            {"onnx_nodes", network.layers[layer].onnxNodes},
            {"where", tierOf(network.layers[layer])},
            {"strategy_applied", its.applied},
            {"external_strategy_hints", its.hints},
            {"operations", std::move(deviceOps)}};
  }

  Json opRecord(const DeviceOp &deviceOp, const OpPlan &its) const {
    Json decisions = Json::array();
    for (const Decision &decision : decisionsOf(deviceOp, its))
      decisions.push_back({{"what", decision.choice}, {"reason", decision.reason}});
    return {{"primitive", nameOfKind(deviceOp.kind)},
            {"result", nameOf(network, deviceOp.result)},
            {"tiles", its.split.tiles()},
            {"parts", its.split.parts},
            {"steps", its.numSteps},
            {"step_parts", its.cuts},
            {"sum_parts", its.depthParts},
            {"chain", its.split.chain},
            {"first_time_step", its.firstTimeStep},
            {"time_steps_apart", its.timeStepsApart},
            {"chosen_cycles", its.chosenCycles},
            {"decisions", std::move(decisions)}};
  }

  std::vector<Decision> decisionsOf(const DeviceOp &deviceOp, const OpPlan &its) const {
    const Hints wanted = options.hints.empty() ? Hints{} : options.hints[deviceOp.layer];
    std::vector<Decision> all;
    const std::string asked = "the strategy file requests this choice for the layer";
    const bool asksForSplit =
        wanted.tiles || !wanted.parts.empty() || wanted.cutsImage || wanted.cutsWeights || wanted.splitsDepth;
    all.push_back(
        {fmt::format("{} tiles, parts {}", its.split.tiles(), fmt::join(its.split.parts, "x")),
         asksForSplit
             ? asked
             : fmt::format("the fewest cycles of all splits considered: {}, including transfers and the "
                           "cost of memory",
                           its.chosenCycles)});
    if (deviceOp.outputAxis) {
      const bool isCut = its.split.parts[*deviceOp.outputAxis] > 1;
      all.push_back({isCut ? "split_wb" : "dupl_wb",
                     isCut ? "the outputs are split: each tile needs only the weights of its own outputs"
                           : "the outputs are not split: every tile that computes needs all weights"});
      all.push_back(
          its.isPinned
              ? Decision{"wb_pin_ocm",
                         options.pinsWeights ? "an option requests pinned weights for all layers" : asked}
              : Decision{"weights streamed",
                         "nothing asks for pinned weights; weights are loaded as early as there is memory"});
    }
    if (deviceOp.kind == DeviceOpKind::conv)
      all.push_back(
          {std::string(nameOfFlattening(its.engineMapping.flattening)),
           wanted.flattening
               ? asked
               : "the convolution takes the fewest cycles this way, copies of its windows included"});
    if (deviceOp.kind == DeviceOpKind::matmul || its.engineMapping.flattening != Flattening::none)
      all.push_back({std::string(nameOfMapping(its.engineMapping.mapping)),
                     wanted.mapping
                         ? asked
                         : "of LAMM, SAMM1 and SAMM2, this matrix mapping takes the fewest cycles on the "
                           "largest share"});
    if (its.timeStepsApart > 1)
      all.push_back({fmt::format("a fusion block, {} bands", its.numSteps),
                     wanted.fusionBlock
                         ? asked
                         : "without a fusion block, the intermediate tensors would go through DDR, which "
                           "takes longer than computing rows that several bands need more than once"});
    else if (its.numSteps > 1)
      all.push_back({fmt::format("serialised into {} steps", its.numSteps),
                     its.product
                         ? "both factors of the product come from DDR: the computation starts when a part of "
                           "them has arrived, and little of the result is left to store at the end"
                         : "operands and result do not fit into an OCM at once, beside the other live "
                           "buffers"});
    if (!its.overlaps)
      all.push_back({"steps do not overlap with transfers",
                     "even the smallest steps leave no memory for transfers during the computation"});
    if (its.split.chain > 1)
      all.push_back({fmt::format("sums divided among chains of {} tiles", its.split.chain),
                     wanted.splitsDepth
                         ? asked
                         : "chains take the fewest cycles of all splits: the results do not divide evenly "
                           "among tiles"});
    if (its.product && its.product->kept > 0)
      all.push_back({fmt::format("{} parts of one factor of the product stay in the OCM", its.product->kept),
                     "all boxes of a tile's share read these parts, and the OCM has space for them"});
    if (its.depthParts > 1)
      all.push_back(
          {fmt::format("sums in {} parts", its.depthParts),
           "both factors of the product come from DDR; with one part of the depth at a time, nothing is "
           "loaded twice"});
    if (its.leavesByClip)
      all.push_back({"9-bit result, clipped when it is stored to DDR",
                     "the result goes to DDR and does not stay in the OCM"});
    return all;
  }

  // --- JSON records of tensors ---

  Json tensorRecord(TensorIndex index) const {
    const DeviceTensor &tensor = network.tensors[index];
    const TensorPlace &place = plan.places[index];
    Json record = {{"name", nameOf(network, index)},
                   {"layer", isAmong(network.inputs, index) ? Json() : Json(tensor.layer + 1)},
                   {"shape", tensor.shape},
                   {"type", EnumNames<ElementType>::values[static_cast<size_t>(tensor.type)]},
                   {"bytes", tensor.sizeInBytes()}};
    if (place.inDdr)
      record["ddr"] = {{"address", place.ddrAddress}, {"reason", reasonOfDdr(index)}};
    if (place.inOcm) {
      const Buffer &buffer = plan.memory.buffers[place.buffer];
      record["ocm"] = {
          {"address", plan.addressOf(place.buffer)},
          {"bytes_on_a_tile", buffer.size},
          {"from", buffer.from},
          {"to", buffer.to},
          {"reason",
           "tiles read the tensor where they computed it, and receive missing parts from other tiles"}};
    }
    if (place.inBands)
      record["bands"] = {
          {"reason", "each band is read only by the operations of its fusion block, and then discarded"}};
    return record;
  }

  std::string reasonOfDdr(TensorIndex index) const {
    if (isAmong(network.inputs, index))
      return "the tensor is an input of the network";
    if (isAmong(network.outputs, index))
      return "the tensor is an output of the network";
    for (const NetworkStep &step : network.steps)
      if (const auto *host = std::get_if<HostStep>(&step))
        if (isAmong(host->outputs, index) ||
            std::ranges::find(host->inputs, std::optional(index)) != host->inputs.end())
          return "the host reads or writes the tensor";
    return "the OCMs have no free space for the tensor beside the other buffers";
  }

  static bool isAmong(const std::vector<TensorIndex> &all, TensorIndex index) {
    return std::ranges::find(all, index) != all.end();
  }

  const DeviceNetwork &network;
  const TilePlan &plan;
  const PlanOptions &options;
  const StrategyFile &strategy;
  const Program &program;
};

} // namespace

std::string tileMetadata(const DeviceNetwork &network, const TilePlan &plan, const PlanOptions &options,
                         const StrategyFile &strategy, const std::vector<PlannedBuffer> &buffers,
                         const Program &program) {
  const Json document = TileDocument(network, plan, options, strategy, program).document(buffers);
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace tilerig::compiler
