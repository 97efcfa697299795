#include "compiler/Tile/Plan/OneImage.h"

#include <fmt/core.h>

namespace tilerig::compiler {

namespace {

class Narrower {
public:
  explicit Narrower(const DeviceNetwork &batch)
      : batch(batch), images(numImages(batch)), one(batch), isOfImages(batch.tensors.size()) {}

  Result<DeviceNetwork> narrow() {
    if (images == 1)
      return unsupported(
          "the network", "the inputs have no batch of several images",
          "the first dimension of all inputs of the network must be the number of images, at least 2");
    for (const TensorIndex input : batch.inputs)
      takeOne(input);
    for (NetworkStep &step : one.steps) {
      DeviceOp *deviceOp = std::get_if<DeviceOp>(&step);
      if (!deviceOp)
        return refuse(std::get<HostStep>(step).layer, "the layer runs on the host");
      if (!isImageByImage(*deviceOp))
        return refuse(deviceOp->layer,
                      "image i of the layer's result does not depend only on image i of the layer's inputs");
      takeOne(deviceOp->result);
      adapt(*deviceOp);
    }
    for (NetworkLayer &layer : one.layers)
      layer.macs /= static_cast<uint64_t>(images);
    return std::move(one);
  }

private:
  Error refuse(uint32_t layer, const std::string &why) const {
    return unsupported(fmt::format("layer '{}'", batch.layers[layer].name), why,
                       "the images of a batch cannot be processed in turn: leave out --images in-turn");
  }

  bool hasImages(TensorIndex tensor) const {
    const std::vector<int64_t> &shape = batch.tensors[tensor].shape;
    return shape.size() > 1 && shape[0] == images;
  }

  // Whether image i of the result depends only on image i of the operands. In every operand that has images,
  // axis 0 must count the images of the batch, its index must equal the index along axis 0 of the result, and
  // no other axis of an operand may depend on that index.
  bool isImageByImage(const DeviceOp &deviceOp) const {
    if (!hasImages(deviceOp.result))
      return false;
    if (deviceOp.kind == DeviceOpKind::reshape) // axis 0 of operand and result is the batch
      return isOfImages[deviceOp.operands[0].tensor];
    const auto isFollowedRightly = [&](const Operand &operand) {
      for (size_t axis = 0; axis < operand.axes.size(); ++axis) {
        const bool isImages = axis == 0 && isOfImages[operand.tensor];
        if (isImages ? !(operand.axes[axis] == AxisMap::along(0)) : operand.axes[axis].from == 0)
          return false;
      }
      return batch.tensors[operand.tensor].constant() || isOfImages[operand.tensor];
    };
    return std::ranges::all_of(deviceOp.operands, isFollowedRightly);
  }

  void takeOne(TensorIndex tensor) {
    isOfImages[tensor] = true;
    one.tensors[tensor].shape[0] = 1;
  }

  void adapt(DeviceOp &deviceOp) const {
    deviceOp.macs /= static_cast<uint64_t>(images);
    if (deviceOp.kind != DeviceOpKind::reshape)
      return;
    ReshapeAxes axes =
        axesOfReshape(one.tensors[deviceOp.operands[0].tensor].shape, one.tensors[deviceOp.result].shape);
    deviceOp.operands[0].axes = std::move(axes.maps);
    deviceOp.divisible = std::move(axes.divisible);
  }

  const DeviceNetwork &batch;
  const int64_t images;
  DeviceNetwork one;
  std::vector<bool> isOfImages; // for each tensor, whether its first axis counts the images of the batch
};

} // namespace

int64_t numImages(const DeviceNetwork &network) {
  int64_t images = 0;
  for (const TensorIndex input : network.inputs) {
    const std::vector<int64_t> &shape = network.tensors[input].shape;
    if (shape.size() < 2 || (images != 0 && shape[0] != images))
      return 1;
    images = shape[0];
  }
  return std::max<int64_t>(images, 1);
}

Result<DeviceNetwork> oneImageOf(const DeviceNetwork &batch) { return Narrower(batch).narrow(); }

} // namespace tilerig::compiler
