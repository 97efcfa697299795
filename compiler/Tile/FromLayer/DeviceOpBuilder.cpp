#include "compiler/Tile/FromLayer/DeviceOpBuilder.h"

#include "compiler/Graph/IR/Origins.h"
#include "compiler/Graph/IR/Shapes.h"
#include "isa/Base/Support/Hash.h"

#include <fmt/core.h>

namespace tilerig::compiler {

Result<TensorIndex> DeviceOpBuilder::tensor(mlir::Value value) {
  if (const auto entry = tensors.find(value); entry != tensors.end())
    return entry->second;
  const mlir::Type element = layer::elementOf(value);
  const auto storage = storageOf(element);
  const std::optional<DType> raw = storage ? std::nullopt : dtypeOfElement(element);
  if (!storage && !raw) {
    std::string type;
    llvm::raw_string_ostream(type) << element;
    return refuse(fmt::format("a tensor has element type {}, which the machine cannot store", type));
  }
  DeviceTensor result;
  result.type = storage.value_or(ElementType::u8);
  result.isRaw = raw.has_value();
  result.affine = affineOf(element);
  result.layer = index;
  for (const int64_t size : graph::shapeOf(value))
    result.shape.push_back(size);
  if (result.shape.size() > maxBoxRank)
    return refuse(
        fmt::format("a tensor has {} axes, but at most {} are supported", result.shape.size(), maxBoxRank));
  result.modelRank = static_cast<int64_t>(result.shape.size());
  if (result.shape.empty()) // a scalar becomes a tensor with one axis of size 1
    result.shape = {1};
  if (raw)
    result.shape.push_back(static_cast<int64_t>(sizeBytes(*raw)));
  if (auto constant = value.getDefiningOp<layer::ConstantOp>()) {
    TILERIG_TRY(Bytes bytes, storedBytesOf(constant));
    result.bytes = withoutCopy(std::move(bytes));
  }
  const auto number = static_cast<TensorIndex>(network.tensors.size());
  network.tensors.push_back(std::move(result));
  tensors[value] = number;
  return number;
}

Result<TensorIndex> DeviceOpBuilder::permuted(mlir::Value constant, llvm::ArrayRef<int64_t> perm) {
  TILERIG_TRY(const TensorIndex plain, tensor(constant));
  DeviceTensor result = network.tensors[plain];
  const size_t rank = result.shape.size(), bytes = sizeBytes(result.type);
  std::vector<size_t> strides(rank, bytes);
  for (size_t i = rank; i-- > 1;)
    strides[i - 1] = strides[i] * static_cast<size_t>(result.shape[i]);
  for (size_t i = 0; i < rank; ++i)
    result.shape[i] = shapeOf(plain)[static_cast<size_t>(perm[i])];
  auto moved = std::make_shared<std::vector<std::byte>>();
  moved->reserve(result.bytes->size());
  std::vector<int64_t> at(rank);
  for (size_t element = 0; element * bytes < result.bytes->size(); ++element) {
    size_t from = 0;
    for (size_t i = 0; i < rank; ++i)
      from += static_cast<size_t>(at[i]) * strides[static_cast<size_t>(perm[i])];
    moved->insert(moved->end(), result.bytes->begin() + static_cast<long>(from),
                  result.bytes->begin() + static_cast<long>(from + bytes));
    for (size_t i = rank; i-- > 0 && ++at[i] == result.shape[i];)
      at[i] = 0;
  }
  result.bytes = withoutCopy(std::move(moved));
  network.tensors.push_back(std::move(result));
  return static_cast<TensorIndex>(network.tensors.size() - 1);
}

Bytes DeviceOpBuilder::withoutCopy(Bytes bytes) {
  const uint64_t key = hashBytes(*bytes);
  const auto [first, last] = constants.equal_range(key);
  const auto equal = std::find_if(first, last, [&](const auto &entry) { return *entry.second == *bytes; });
  return equal != last ? equal->second : constants.emplace(key, std::move(bytes))->second;
}

DeviceOp DeviceOpBuilder::deviceOp(DeviceOpKind kind, Instruction action, TensorIndex result) const {
  const size_t rank = shapeOf(result).size();
  DeviceOp deviceOp;
  deviceOp.kind = kind;
  deviceOp.action = std::move(action);
  deviceOp.result = result;
  deviceOp.divisible.assign(rank, true);
  deviceOp.groupSize.assign(rank, 1);
  deviceOp.layer = index;
  return deviceOp;
}

Operand DeviceOpBuilder::broadcast(TensorIndex operand, TensorIndex result) const {
  Operand broadcastOperand{.tensor = operand, .axes = {}};
  const size_t rank = shapeOf(operand).size(), resultRank = shapeOf(result).size();
  for (size_t i = 0; i < rank; ++i)
    broadcastOperand.axes.push_back(
        shapeOf(operand)[i] == 1 ? AxisMap{} : AxisMap::along(static_cast<int>(i + resultRank - rank)));
  return broadcastOperand;
}

Error DeviceOpBuilder::refuse(std::string why) const {
  if (!current)
    return unsupported("the model's inputs", std::move(why));
  return unsupported(fmt::format("layer '{}' ({})", graph::nodeName(current->getLoc()),
                                 current->getName().getStringRef().str()),
                     std::move(why));
}

} // namespace tilerig::compiler
