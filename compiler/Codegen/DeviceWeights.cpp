#include "compiler/Codegen/DeviceWeights.h"

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
      if (const Work *work = std::get_if<Work>(&step))
        TILERIG_CHECK_OK(collect(*work));
    return std::move(all);
  }

private:
  Status collect(const Work &work) {
    const bool isProduct = work.kind == WorkKind::conv || work.kind == WorkKind::matmul;
    for (size_t i = 0; i < work.operands.size(); ++i)
      if (const DeviceTensor &tensor = network.tensors[work.operands[i].tensor]; tensor.constant())
        TILERIG_CHECK_OK(add(work, isProduct && i == 1 ? "weights" : fmt::format("operand{}", i),
                             dtypeOfStored(tensor.type), tensor.shape, *tensor.bytes));
    TILERIG_CHECK_OK(add(work, "bias", dtypeOfStored(sumTypeOf(work, network.tensors)), work.bias));
    TILERIG_CHECK_OK(add(work, "scale", DType::f32, work.scale));
    return add(work, "table", DType::u8, work.table);
  }

  Status add(const Work &work, const std::string &what, DType type, const WorkVector &vector) {
    if (!vector.present())
      return success();
    return add(work, what, type, {static_cast<int64_t>(vector.bytes.size() / sizeBytes(type))}, vector.bytes);
  }

  // A layer may consist of several device operations; repeated names get a number.
  Status add(const Work &work, const std::string &what, DType type, const Shape &shape,
             const std::vector<std::byte> &bytes) {
    const std::string stem = fmt::format("{}.{}.{}", work.layer + 1, network.layers[work.layer].name, what);
    std::string name = stem;
    for (int next = 2; all.find(name); ++next)
      name = fmt::format("{}.{}", stem, next);
    TILERIG_TRY(Tensor tensor, Tensor::make(type, shape));
    if (tensor.sizeBytes() != bytes.size())
      return internalError(
          name, fmt::format("has {} bytes, but its shape needs {}", bytes.size(), tensor.sizeBytes()));
    std::memcpy(tensor.mutableBytes().data(), bytes.data(), bytes.size());
    return all.add(std::move(name), std::move(tensor));
  }

  const DeviceNetwork &network;
  TensorMap all;
};

} // namespace

Result<TensorMap> deviceWeights(const DeviceNetwork &network) { return Collector(network).collect(); }

} // namespace tilerig::compiler
