#include "compiler/Tile/Emit/DescribeProgram.h"

#include "compiler/Tile/Ops/View.h"
#include "isa/Program/DebugRanges.h"
#include "isa/Program/StoredType.h"

#include <cassert>
#include <fmt/core.h>

namespace tilerig::compiler {

namespace {

proto::Piece &addPiece(proto::Tensor &to, const DeviceTensor &tensor, const View &view, const Box &part,
                       uint32_t image = 0) {
  proto::Piece &piece = *to.add_pieces();
  piece.set_ddr(view.space == Space::ddr);
  piece.set_tile(view.space == Space::ddr ? 0 : view.tile);
  piece.set_address(view.addressOf(part));
  for (int64_t axis = 0; axis < tensor.modelRank; ++axis) {
    const auto own =
        static_cast<size_t>(std::ranges::find(tensor.modelAxes, axis) - tensor.modelAxes.begin());
    piece.add_begin(part[own].begin + (own == 0 ? image : 0));
    piece.add_extent(part[own].size());
    piece.add_stride(part[own].size() > 1 ? view.strideOf(own) : 0);
  }
  return piece;
}

// Adds to the metadata of a tensor where its bands lie (a few rows each, computed one after another). Each
// band on each tile is a piece: the address of a box of the tensor, and the instruction before which the box
// is complete. If the layer runs in several stages, only the bands of the last stage are added.
void addBands(proto::Tensor &to, const DeviceTensor &tensor, const OpPlan &its, const TilePlan &plan,
              const TimeStepEnds &ends, uint32_t image) {
  for (unsigned tile = 0; tile < plan.tiles; ++tile)
    for (uint32_t step = 0; step < its.numSteps; ++step)
      if (const uint32_t end = ends.of(to.stage(), tile, its.timeStepOf(step), image);
          its.computes(tile, step) && end > 0)
        addPiece(to, tensor,
                 {.box = its.steps[tile][step],
                  .type = tensor.type,
                  .address = plan.addressOf(its.resultBuffers[step]),
                  .tile = static_cast<uint8_t>(tile)},
                 its.steps[tile][step], image)
            .set_ready_at(end);
}

// Adds to the metadata of a tensor where its parts lie on the tiles, for one image (element of the batch).
// The part on each tile is a piece: the address of a box of the tensor, and the instruction before which the
// box is complete. A piece is valid until the next image overwrites it.
void addShares(proto::Tensor &to, const DeviceTensor &tensor, const TensorPlace &place, const OpPlan &its,
               const TilePlan &plan, const TimeStepEnds &ends, uint32_t image) {
  for (unsigned tile = 0; tile < plan.tiles; ++tile) {
    uint32_t end = 0;
    for (uint32_t step = 0; step < its.numSteps; ++step)
      end = std::max(end, ends.of(to.stage(), tile, its.timeStepOf(step), image));
    assert((end > 0 || place.owned[tile].empty()) && "every part of a result is written by some instruction");
    if (!place.owned[tile].empty())
      addPiece(to, tensor,
               {.box = place.kept[tile],
                .type = tensor.type,
                .address = plan.addressOf(place.buffer),
                .tile = static_cast<uint8_t>(tile)},
               place.owned[tile], image)
          .set_ready_at(end);
  }
}

size_t makerOf(const DeviceNetwork &network, TensorIndex tensor) {
  return static_cast<size_t>(std::ranges::find_if(network.steps,
                                                  [&](const NetworkStep &step) {
                                                    const auto *deviceOp = std::get_if<DeviceOp>(&step);
                                                    return deviceOp && deviceOp->result == tensor;
                                                  }) -
                             network.steps.begin());
}

// Whether the tensor is left out of the metadata, because its images (elements of the batch) overwrite each
// other in the OCM (on-chip memory) and are computed in several stages. The metadata can only name one stage
// for the tensor, and an instruction of this stage for each image.
bool isForgotten(const TensorPlace &place, const TilePlan &plan, const TimeStepEnds &ends, uint32_t stage) {
  return plan.images > 1 && !place.inDdr && !ends.hasImages(stage, plan.images);
}

proto::Tensor &addTensor(const DeviceTensor &tensor, proto::TensorRole role, const std::string &name,
                         uint32_t stage, Program &program) {
  proto::Tensor &to = *program.metadata.add_tensors();
  to.set_name(name);
  to.set_dtype(tensor.modelType);
  to.set_stored_type(std::string(
      tensor.isRaw ? rawStoredType : EnumNames<ElementType>::values[static_cast<size_t>(tensor.type)]));
  to.set_role(role);
  to.set_layer(tensor.layer);
  to.set_stage(stage);
  if (isQuantised(tensor.type) && !tensor.isRaw) {
    to.set_scale(tensor.affine.scale);
    to.set_zero_point(tensor.affine.zeroPoint);
  }
  std::vector<int64_t> shape(static_cast<size_t>(tensor.modelRank));
  for (size_t i = 0; i < tensor.modelAxes.size(); ++i)
    shape[static_cast<size_t>(tensor.modelAxes[i])] = tensor.shape[i];
  for (const int64_t size : shape)
    to.add_shape(size);
  return to;
}

void addDdrPiece(proto::Tensor &to, const DeviceTensor &tensor, uint64_t address) {
  const Box whole = Box::whole(tensor.shape);
  if (whole.elements() == 0)
    return;
  addPiece(to, tensor, {.box = whole, .type = tensor.type, .address = address, .space = Space::ddr}, whole);
}

// Adds a tensor to the metadata, with the pieces of memory that hold it. First come the parts on the tiles
// that computed them. Copies on other tiles are added only if the tensor lies inside the buffer of another
// tensor (`comesInPlace`).
void describeTensor(const DeviceNetwork &network, const TilePlan &plan, TensorIndex index,
                    proto::TensorRole role, const std::string &name, uint32_t stage, const TimeStepEnds &ends,
                    Program &program) {
  const DeviceTensor &tensor = network.tensors[index];
  const TensorPlace &place = plan.places[index];
  if (isForgotten(place, plan, ends, stage))
    return;
  proto::Tensor &to = addTensor(tensor, role, name, stage, program);
  if (place.inDdr) {
    addDdrPiece(to, tensor, place.ddrAddress);
    return;
  }
  const DeviceTensor &ofImage = plan.networkOf(network).tensors[index];
  for (uint32_t image = 0; image < plan.images && (place.inBands || plan.images > 1); ++image)
    if (const OpPlan &its = plan.deviceOps[makerOf(network, index)]; place.inBands)
      addBands(to, ofImage, its, plan, ends, image);
    else
      addShares(to, ofImage, place, its, plan, ends, image);
  if (place.inBands || plan.images > 1)
    return;
  const auto add = [&](unsigned tile, const Box &box) {
    if (!box.empty())
      addPiece(to, tensor,
               {.box = place.kept[tile],
                .type = tensor.type,
                .address = plan.addressOf(place.buffer),
                .tile = static_cast<uint8_t>(tile)},
               box);
  };
  for (unsigned tile = 0; tile < plan.tiles; ++tile)
    add(tile, place.owned[tile]);
  for (unsigned tile = 0; place.comesInPlace && tile < plan.tiles; ++tile)
    for (const Box &box : place.wanted[tile])
      if (!place.owned[tile].contains(box) && place.kept[tile].contains(box))
        add(tile, box);
}

// Adds an output of the network that the host makes by dequantising a tensor in DDR.
void describeDequantised(const DeviceTensor &tensor, const TensorPlace &place, uint32_t stage,
                         Program &program) {
  DeviceTensor output = tensor;
  output.modelType = "float32";
  output.shape = tensor.dequantised->shape;
  output.modelRank = static_cast<int64_t>(output.shape.size());
  output.modelAxes = tensor.dequantised->axes;
  proto::Tensor &to = addTensor(output, proto::OUTPUT, tensor.dequantised->name, stage, program);
  if (tensor.cut)
    to.set_sizes(tensor.cut->sizes);
  addDdrPiece(to, output, place.ddrAddress);
}

// Adds an output of the network that the host makes by cutting a tensor in DDR to the sizes of a run.
void describeCut(const DeviceTensor &tensor, const TensorPlace &place, uint32_t stage, Program &program) {
  proto::Tensor &to = addTensor(tensor, proto::OUTPUT, tensor.cut->name, stage, program);
  to.set_sizes(tensor.cut->sizes);
  addDdrPiece(to, tensor, place.ddrAddress);
}

void describeLayer(const NetworkLayer &layer, uint32_t id, Program &program) {
  proto::Layer &to = *program.metadata.add_layers();
  to.set_id(id);
  to.set_name(layer.name);
  to.set_kind(layer.kind);
  for (const std::string &node : layer.onnxNodes)
    to.add_onnx_nodes(node);
  for (const std::string &op : layer.onnxOps)
    to.add_onnx_ops(op);
  to.set_where(tierOf(layer));
  to.set_macs(layer.macs);
  for (const auto &[choice, reason] : layer.decisions)
    (*to.mutable_decisions())[choice] = reason;
}

} // namespace

std::string nameOf(const DeviceNetwork &network, TensorIndex tensor) {
  const std::string &name = network.tensors[tensor].name;
  return name.empty() ? fmt::format("tilerig.{}", tensor) : name;
}

void describeProgram(const DeviceNetwork &network, const TilePlan &plan, const std::vector<uint32_t> &stageOf,
                     const TimeStepEnds &ends, Program &program) {
  program.metadata.set_producer("tilerig compile");
  program.metadata.set_model(network.name);
  for (uint32_t id = 0; id < network.layers.size(); ++id)
    describeLayer(network.layers[id], id, program);
  for (const TensorIndex input : network.inputs)
    describeTensor(network, plan, input, proto::INPUT, nameOf(network, input), 0, ends, program);
  const auto isIn = [](const std::vector<TensorIndex> &all, TensorIndex tensor) {
    return std::ranges::find(all, tensor) != all.end();
  };
  std::vector<bool> isHosts(network.tensors.size());
  for (const NetworkStep &step : network.steps)
    if (const auto *host = std::get_if<HostStep>(&step)) {
      for (const auto &input : host->inputs)
        if (input)
          isHosts[*input] = true;
      for (const TensorIndex output : host->outputs)
        isHosts[output] = true;
    }
  // For each tensor, whether it is a constant that the metadata already has. A constant that several
  // operations read is thus added only once.
  std::vector<bool> isDescribed(network.tensors.size());
  for (size_t i = 0; i < network.steps.size(); ++i) {
    std::vector<TensorIndex> results;
    if (const auto *host = std::get_if<HostStep>(&network.steps[i])) {
      results = host->outputs;
      for (const auto &input : host->inputs)
        if (input && network.tensors[*input].constant() && !isDescribed[*input]) {
          isDescribed[*input] = true;
          results.push_back(*input);
        }
    } else
      results = {std::get<DeviceOp>(network.steps[i]).result};
    for (const TensorIndex tensor : results)
      if (const bool isOutput = isIn(network.outputs, tensor) && !network.tensors[tensor].dequantised &&
                                !network.tensors[tensor].cut;
          !isOutput && (!network.tensors[tensor].name.empty() || isHosts[tensor]))
        describeTensor(network, plan, tensor, proto::INTERMEDIATE, nameOf(network, tensor), stageOf[i], ends,
                       program);
  }
  const auto lastStage = static_cast<uint32_t>(program.stages.size() - 1);
  for (const TensorIndex output : network.outputs)
    if (const DeviceTensor &tensor = network.tensors[output]; tensor.dequantised)
      describeDequantised(tensor, plan.places[output], lastStage, program);
    else if (tensor.cut)
      describeCut(tensor, plan.places[output], lastStage, program);
    else
      describeTensor(network, plan, output, proto::OUTPUT, nameOf(network, output), lastStage, ends, program);
  describeRanges(program);
}

} // namespace tilerig::compiler
