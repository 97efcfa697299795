#include "compiler/Tile/FromLayer/DeviceOpBuilder.h"

#include "compiler/Graph/IR/Origins.h"
#include "compiler/Graph/IR/Shapes.h"
#include "isa/Base/Support/File.h"
#include "isa/Base/Support/Hash.h"

#include <algorithm>
#include <cstring>
#include <fmt/core.h>

namespace tilerig::compiler {

namespace {

// Writes a matrix with rows and columns exchanged, square by square, so that what is read and written stays in the
// cache.
void transpose(std::span<const std::byte> matrix, size_t rows, size_t columns, std::span<std::byte> to) {
  constexpr size_t square = 32;
  const size_t bytes = matrix.size() / (rows * columns);
  for (size_t row = 0; row < rows; row += square)
    for (size_t column = 0; column < columns; column += square)
      for (size_t i = row; i < std::min(row + square, rows); ++i)
        for (size_t j = column; j < std::min(column + square, columns); ++j)
          std::memcpy(&to[(j * rows + i) * bytes], &matrix[(i * columns + j) * bytes], bytes);
}

} // namespace

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
    TILERIG_TRY(ConstantBytes bytes, storedBytesOf(constant));
    result.bytes = withoutCopy(std::move(bytes));
  }
  const auto number = static_cast<TensorIndex>(network.tensors.size());
  network.tensors.push_back(std::move(result));
  tensors[value] = number;
  return number;
}

Result<TensorIndex> DeviceOpBuilder::transposed(mlir::Value constant) {
  TILERIG_TRY(const TensorIndex plain, tensor(constant));
  DeviceTensor result = network.tensors[plain];
  const std::span<const std::byte> bytes = *result.bytes;
  int64_t &rows = result.shape[result.shape.size() - 2], &columns = result.shape.back();
  std::vector<std::byte> moved(bytes.size());
  const size_t matrix = static_cast<size_t>(rows * columns) * sizeBytes(result.type);
  for (size_t begin = 0; begin < bytes.size(); begin += matrix)
    transpose(bytes.subspan(begin, matrix), static_cast<size_t>(rows), static_cast<size_t>(columns),
              std::span(moved).subspan(begin, matrix));
  std::swap(rows, columns);
  releasePages(bytes); // rarely read again; if it is, from the file
  result.bytes = withoutCopy(constantBytes(std::move(moved)));
  network.tensors.push_back(std::move(result));
  return static_cast<TensorIndex>(network.tensors.size() - 1);
}

ConstantBytes DeviceOpBuilder::withoutCopy(ConstantBytes bytes) {
  const uint64_t key = hashBytes(*bytes);
  const auto [first, last] = constants.equal_range(key);
  const auto equal =
      std::find_if(first, last, [&](const auto &entry) { return std::ranges::equal(*entry.second, *bytes); });
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
