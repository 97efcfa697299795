#include "compiler/Tile/Emit/DeviceWeights.h"

#include <cstring>
#include <fmt/core.h>

namespace tilerig::compiler {

namespace {

DType dtypeOfStored(ElementType type) {
  switch (type) {
  case ElementType::i8:
    return DType::i8;
  case ElementType::u8:
    return DType::u8;
  case ElementType::i9:
    return DType::i16;
  case ElementType::i32:
    return DType::i32;
  case ElementType::fp16:
    return DType::f16;
  case ElementType::bf16:
    return DType::bf16;
  case ElementType::fp32:
    return DType::f32;
  }
  return DType::u8;
}

class Collector {
public:
  explicit Collector(const DeviceNetwork &network) : network(network) {}

  Result<TensorMap> collect() {
    for (const NetworkStep &step : network.steps)
      if (const DeviceOp *deviceOp = std::get_if<DeviceOp>(&step))
        TILERIG_CHECK_OK(collect(*deviceOp));
    return std::move(all);
  }

private:
  Status collect(const DeviceOp &deviceOp) {
    const bool isProduct = deviceOp.kind == DeviceOpKind::conv || deviceOp.kind == DeviceOpKind::matmul;
    for (size_t i = 0; i < deviceOp.operands.size(); ++i)
      if (const DeviceTensor &tensor = network.tensors[deviceOp.operands[i].tensor]; tensor.constant())
        TILERIG_CHECK_OK(add(deviceOp, isProduct && i == 1 ? "weights" : fmt::format("operand{}", i),
                             dtypeOfStored(tensor.type), tensor.shape, *tensor.bytes));
    TILERIG_CHECK_OK(
        add(deviceOp, "bias", dtypeOfStored(sumTypeOf(deviceOp, network.tensors)), deviceOp.bias));
    TILERIG_CHECK_OK(add(deviceOp, "scale", DType::f32, deviceOp.scale));
    return add(deviceOp, "table", DType::u8, deviceOp.table);
  }

  Status add(const DeviceOp &deviceOp, const std::string &constantName, DType type, const OpVector &vector) {
    if (!vector.present())
      return success();
    return add(deviceOp, constantName, type, {static_cast<int64_t>(vector.bytes.size() / sizeBytes(type))},
               vector.bytes);
  }

  // A layer may consist of several device operations, whose constants have the same name. Repeated names get
  // a number.
  Status add(const DeviceOp &deviceOp, const std::string &constantName, DType type, const Shape &shape,
             std::span<const std::byte> bytes) {
    const std::string stem =
        fmt::format("{}.{}.{}", deviceOp.layer + 1, network.layers[deviceOp.layer].name, constantName);
    std::string name = stem;
    for (int next = 2; all.find(name); ++next)
      name = fmt::format("{}.{}", stem, next);
    TILERIG_TRY(Tensor tensor, Tensor::make(type, shape));
    if (tensor.sizeBytes() != bytes.size())
      return internalError(name, fmt::format("the constant has {} bytes, but its shape needs {}",
                                             bytes.size(), tensor.sizeBytes()));
    std::memcpy(tensor.mutableBytes().data(), bytes.data(), bytes.size());
    return all.add(std::move(name), std::move(tensor));
  }

  const DeviceNetwork &network;
  TensorMap all;
};

} // namespace

Result<TensorMap> deviceWeights(const DeviceNetwork &network) { return Collector(network).collect(); }

} // namespace tilerig::compiler
