// Tests of reducing a batch to one image: the same network with batch size 1, and the networks for which this
// is impossible.
#include "compiler/Tile/Plan/OneImage.h"

#include <gtest/gtest.h>

namespace tilerig {
using namespace compiler;
namespace {

constexpr int64_t numOfBatch = 4;

// Builder of networks for a batch of images with 6 rows, 5 columns and 8 channels.
struct Batch {
  DeviceNetwork network;

  Batch() {
    network.inputs = {add({numOfBatch, 6, 5, 8})};
    network.layers = {{.name = "only", .kind = "conv", .macs = 1200}};
  }

  TensorIndex add(std::vector<int64_t> shape, bool isConstant = false) {
    DeviceTensor tensor;
    tensor.shape = std::move(shape);
    if (isConstant)
      tensor.bytes = constantBytes(std::vector<std::byte>(tensor.sizeInBytes()));
    network.tensors.push_back(std::move(tensor));
    return static_cast<TensorIndex>(network.tensors.size() - 1);
  }
  TensorIndex deviceOp(DeviceOpKind kind, std::vector<Operand> operands, std::vector<int64_t> shape) {
    DeviceOp deviceOp;
    deviceOp.kind = kind;
    deviceOp.operands = std::move(operands);
    deviceOp.result = add(std::move(shape));
    deviceOp.macs = 400;
    network.steps.emplace_back(std::move(deviceOp));
    return network.tensors.size() - 1;
  }
  // Adds a 3x3 convolution whose weights are shared by all images of the batch.
  TensorIndex conv(TensorIndex from) {
    const TensorIndex weights = add({16, 3, 3, 8}, true);
    const AxisMap rows = {.from = 1, .high = 2}, columns = {.from = 2, .high = 2};
    return deviceOp(
        DeviceOpKind::conv,
        {{from, {AxisMap::along(0), rows, columns, {}}}, {weights, {AxisMap::along(3), {}, {}, {}}}},
        {numOfBatch, 4, 3, 16});
  }
  // Adds a reshape to another shape with the same number of elements.
  TensorIndex reshape(TensorIndex from, std::vector<int64_t> shape) {
    ReshapeAxes axes = axesOfReshape(network.tensors[from].shape, shape);
    return deviceOp(DeviceOpKind::reshape, {{from, std::move(axes.maps)}}, std::move(shape));
  }
};

TEST(OneImage, HasTheFirstSizeOneAndAShareOfTheWork) {
  Batch batch;
  const TensorIndex features = batch.conv(0);
  const TensorIndex row = batch.reshape(features, {numOfBatch, 4 * 3 * 16});
  const auto one = oneImageOf(batch.network);
  ASSERT_TRUE(one) << one.error().message();
  EXPECT_EQ(one->tensors[0].shape, (std::vector<int64_t>{1, 6, 5, 8}));
  EXPECT_EQ(one->tensors[features].shape, (std::vector<int64_t>{1, 4, 3, 16}));
  EXPECT_EQ(one->tensors[row].shape, (std::vector<int64_t>{1, 192}));
  EXPECT_EQ(one->tensors[1].shape, batch.network.tensors[1].shape) << "weights are those of all images";
  EXPECT_EQ(std::get<DeviceOp>(one->steps[0]).macs, 100u);
  EXPECT_EQ(one->layers[0].macs, 300u);
  // The axes along which the reshape can be split are those of a reshape of one image, not of the batch.
  EXPECT_EQ(std::get<DeviceOp>(one->steps[1]).divisible,
            axesOfReshape(one->tensors[features].shape, one->tensors[row].shape).divisible);
}

TEST(OneImage, DoesNotExistForABatchOfOne) {
  Batch batch;
  batch.network.tensors[0].shape[0] = 1;
  EXPECT_FALSE(oneImageOf(batch.network));
  EXPECT_EQ(numImages(batch.network), 1);
}

TEST(OneImage, IsRefusedWhereInputsDisagree) {
  Batch batch;
  batch.network.inputs.push_back(batch.add({3, 7}));
  EXPECT_EQ(numImages(batch.network), 1);
  EXPECT_FALSE(oneImageOf(batch.network));
}

TEST(OneImage, IsRefusedWhereImagesAreCombined) {
  const auto refusal = [](Batch batch) {
    const auto one = oneImageOf(batch.network);
    return one ? std::string() : one.error().message();
  };
  const std::string why =
      "image i of the layer's result does not depend only on image i of the layer's inputs";
  { // a reshape turns the images of the batch into rows
    Batch batch;
    batch.reshape(0, {numOfBatch * 6, 40});
    EXPECT_NE(refusal(batch).find(why), std::string::npos) << refusal(batch);
  }
  { // a softmax over the batch axis combines all images of the batch
    Batch batch;
    batch.deviceOp(DeviceOpKind::softmax,
                   {{0, {{}, AxisMap::along(1), AxisMap::along(2), AxisMap::along(3)}}},
                   {numOfBatch, 6, 5, 8});
    EXPECT_NE(refusal(batch).find(why), std::string::npos) << refusal(batch);
  }
  { // each image of the batch is combined with the next image
    Batch batch;
    AxisMap next = AxisMap::along(0);
    next.offset = 1;
    batch.deviceOp(DeviceOpKind::pointwise,
                   {{0, {next, AxisMap::along(1), AxisMap::along(2), AxisMap::along(3)}}},
                   {numOfBatch, 6, 5, 8});
    EXPECT_NE(refusal(batch).find(why), std::string::npos) << refusal(batch);
  }
  { // the operation reads a constant that differs between the images of the batch
    Batch batch;
    const TensorIndex each = batch.add({numOfBatch, 6, 5, 8}, true);
    const std::vector<AxisMap> all = {AxisMap::along(0), AxisMap::along(1), AxisMap::along(2),
                                      AxisMap::along(3)};
    batch.deviceOp(DeviceOpKind::pointwise, {{0, all}, {each, all}}, {numOfBatch, 6, 5, 8});
    EXPECT_NE(refusal(batch).find(why), std::string::npos) << refusal(batch);
  }
  { // a host operator reads all images of the batch
    Batch batch;
    batch.network.steps.emplace_back(HostStep{.kernel = "TopK"});
    EXPECT_NE(refusal(batch).find("runs on the host"), std::string::npos) << refusal(batch);
  }
}

} // namespace
} // namespace tilerig
