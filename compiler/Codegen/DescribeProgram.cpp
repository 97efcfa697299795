#include "compiler/Codegen/DescribeProgram.h"

#include "compiler/Codegen/View.h"
#include "compiler/Tiling/LayViews.h"

#include <fmt/core.h>

namespace tilerig {

namespace {

void addPiece(proto::Tensor &to, const DeviceTensor &tensor, const View &view, const Box &part) {
  proto::Piece &piece = *to.add_pieces();
  piece.set_ddr(view.space == Space::ddr);
  piece.set_tile(view.space == Space::ddr ? 0 : view.tile);
  piece.set_address(view.addressOf(part));
  for (int64_t axis = 0; axis < tensor.modelRank; ++axis) {
    const auto own =
        static_cast<size_t>(std::ranges::find(tensor.modelAxes, axis) - tensor.modelAxes.begin());
    piece.add_begin(part[own].begin);
    piece.add_extent(part[own].size());
    piece.add_stride(part[own].size() > 1 ? view.strideOf(own) : 0);
  }
}

// What of a tensor lies where, in pieces that are each there at one time: what one step or one tile has made
// may have been read and overwritten before the next has made its part.
class Pieces {
public:
  Pieces(const DeviceNetwork &network, const TilePlan &plan, TensorIndex tensor)
      : network(network), plan(plan), tensor(tensor), whole(outermost(plan.views, tensor)) {}

  // Where nobody sends copies of what an owner has, each copy is there in pieces.
  std::vector<Box> on(unsigned tile) const {
    std::vector<Box> pieces;
    if (!plan.places[tensor].comesInPlace) {
      forEachWork([&](const Work &work, const WorkPlan &its) {
        if (work.result == tensor)
          for (const Box &box : its.steps[tile])
            if (pieces.empty() || !(pieces.back() == box)) // parts of a sum have one box
              pieces.push_back(box);
      });
      return pieces;
    }
    const Box copy = intersection(plan.places[tensor].kept[tile], Box::whole(shapeOf(tensor)));
    uint64_t elements = 0;
    if (!copy.empty() && !isReadAtOnce(tile, copy))
      forEachPartMade([&](const Box &part) {
        const Box piece = intersection(part, copy);
        if (!piece.empty() && std::ranges::find(pieces, piece) == pieces.end()) {
          pieces.push_back(piece);
          elements += piece.elements();
        }
      });
    return elements == copy.elements() ? pieces : std::vector{copy};
  }

private:
  const std::vector<int64_t> &shapeOf(TensorIndex of) const { return network.tensors[of].shape; }

  template <class Visit>
  void forEachWork(Visit visit) const {
    for (size_t i = 0; i < network.steps.size(); ++i)
      if (const Work *work = std::get_if<Work>(&network.steps[i]))
        visit(*work, plan.works[i]);
  }
  // Whether a step of a work needs all of the copy: then there is a time at which all of it is there.
  bool isReadAtOnce(unsigned tile, const Box &copy) const {
    const Box all = inWhole(tensor, copy);
    bool is = false;
    forEachWork([&](const Work &work, const WorkPlan &its) {
      if (its.steps[tile].size() == 1)
        for (const Operand &it : work.operands)
          is |=
              outermost(plan.views, it.tensor) == whole &&
              inWhole(it.tensor, neededBox(it, network.tensors[it.tensor], its.steps[tile][0])).contains(all);
    });
    return is;
  }
  // As indices of the tensor.
  template <class Visit>
  void forEachPartMade(Visit visit) const {
    const Box all = inWhole(tensor, Box::whole(shapeOf(tensor)));
    forEachWork([&](const Work &work, const WorkPlan &its) {
      if (outermost(plan.views, work.result) == whole)
        for (const std::vector<Box> &steps : its.steps)
          for (const Box &box : steps)
            for (const Box &part : partsMade(work, box, network, plan.views))
              visitInTensor(intersection(inWhole(work.result, part), all), visit);
    });
  }
  // Halves of what is no box of the tensor.
  template <class Visit>
  void visitInTensor(const Box &part, Visit visit) const {
    if (part.empty())
      return;
    if (const Box piece = inTensor(tensor, part); !piece.empty())
      return visit(piece);
    for (size_t axis = 0; axis < part.rank(); ++axis)
      if (const int64_t size = part[axis].size(); size > 1) {
        Box low = part, high = part;
        low[axis].end = high[axis].begin = part[axis].begin + size / 2;
        visitInTensor(low, visit);
        return visitInTensor(high, visit);
      }
  }
  // As indices of the outermost tensor.
  Box inWhole(TensorIndex inner, Box part) const {
    for (; plan.views[inner]; inner = plan.views[inner]->of)
      part = boxInWhole(*plan.views[inner], part, shapeOf(inner), shapeOf(plan.views[inner]->of));
    return part;
  }
  Box inTensor(TensorIndex inner, const Box &part) const {
    if (!plan.views[inner])
      return part;
    const TensorIndex of = plan.views[inner]->of;
    const Box outer = intersection(inTensor(of, part), Box::whole(shapeOf(of)));
    return boxInView(*plan.views[inner], outer, shapeOf(inner), shapeOf(of));
  }

  const DeviceNetwork &network;
  const TilePlan &plan;
  TensorIndex tensor, whole;
};

void describeTensor(const DeviceNetwork &network, const TilePlan &plan, TensorIndex index,
                    proto::TensorRole role, const std::string &name, uint32_t stage, Program &program) {
  const DeviceTensor &tensor = network.tensors[index];
  const TensorPlace &place = plan.places[index];
  proto::Tensor &to = *program.metadata.add_tensors();
  to.set_name(name);
  to.set_dtype(tensor.modelType);
  to.set_stored_type(std::string(EnumNames<ElementType>::values[static_cast<size_t>(tensor.type)]));
  to.set_role(role);
  to.set_layer(tensor.layer);
  to.set_stage(stage);
  if (isQuantised(tensor.type)) {
    to.set_scale(tensor.affine.scale);
    to.set_zero_point(tensor.affine.zeroPoint);
  }
  std::vector<int64_t> shape(static_cast<size_t>(tensor.modelRank));
  for (size_t i = 0; i < tensor.modelAxes.size(); ++i)
    shape[static_cast<size_t>(tensor.modelAxes[i])] = tensor.shape[i];
  for (const int64_t size : shape)
    to.add_shape(size);
  if (place.inDdr) {
    const Box whole = Box::whole(tensor.shape);
    return addPiece(to, tensor,
                    {.box = whole, .type = tensor.type, .address = place.ddrAddress, .space = Space::ddr},
                    whole);
  }
  const Pieces pieces(network, plan, index);
  for (unsigned tile = 0; tile < plan.tiles; ++tile)
    for (const Box &box : pieces.on(tile))
      if (!box.empty())
        addPiece(to, tensor,
                 {.box = place.kept[tile],
                  .type = tensor.type,
                  .address = plan.addressOf(place.buffer),
                  .tile = static_cast<uint8_t>(tile)},
                 box);
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
  to.set_where(layer.onHost ? "host" : "accelerator");
  to.set_macs(layer.macs);
  for (const auto &[what, why] : layer.decisions)
    (*to.mutable_decisions())[what] = why;
}

} // namespace

void describeRanges(Program &program) {
  for (uint32_t stage = 0; stage < program.stages.size(); ++stage) {
    const auto *device = std::get_if<DeviceStage>(&program.stages[stage].work);
    for (uint32_t tile = 0; device && tile < device->tiles.size(); ++tile) {
      const std::vector<Instruction> &list = device->tiles[tile];
      for (uint32_t begin = 0, end = 0; begin < list.size(); begin = end) {
        for (end = begin + 1; end < list.size() && layerOf(list[end]) == layerOf(list[begin]) &&
                              mnemonicOf(list[end]) == mnemonicOf(list[begin]);)
          ++end;
        proto::DebugRange &range = *program.metadata.add_debug();
        range.set_layer(layerOf(list[begin]));
        range.set_primitive(std::string(mnemonicOf(list[begin])));
        range.set_stage(stage);
        range.set_tile(tile);
        range.set_begin(begin);
        range.set_end(end);
      }
    }
  }
}

std::string nameOf(const DeviceNetwork &network, TensorIndex tensor) {
  const std::string &name = network.tensors[tensor].name;
  return name.empty() ? fmt::format("tilerig.{}", tensor) : name;
}

void describeProgram(const DeviceNetwork &network, const TilePlan &plan, const std::vector<uint32_t> &stageOf,
                     Program &program) {
  program.metadata.set_producer("tilerig compile");
  program.metadata.set_model(network.name);
  for (uint32_t id = 0; id < network.layers.size(); ++id)
    describeLayer(network.layers[id], id, program);
  for (const TensorIndex input : network.inputs)
    describeTensor(network, plan, input, proto::INPUT, nameOf(network, input), 0, program);
  const auto isIn = [](const std::vector<TensorIndex> &all, TensorIndex it) {
    return std::ranges::find(all, it) != all.end();
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
  std::vector<bool> isDescribed(network.tensors.size()); // of constants, which several may read
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
      results = {std::get<Work>(network.steps[i]).result};
    for (const TensorIndex tensor : results)
      if (!isIn(network.outputs, tensor) && (!network.tensors[tensor].name.empty() || isHosts[tensor]))
        describeTensor(network, plan, tensor, proto::INTERMEDIATE, nameOf(network, tensor), stageOf[i],
                       program);
  }
  for (const TensorIndex output : network.outputs)
    describeTensor(network, plan, output, proto::OUTPUT, nameOf(network, output),
                   static_cast<uint32_t>(program.stages.size() - 1), program);
  describeRanges(program);
}

} // namespace tilerig
