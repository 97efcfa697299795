// Lowering of convolutions and matrix products, which run on the POD (matrix engine).
#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Layer/IR/Quantised.h"
#include "compiler/Layer/IR/Scales.h"
#include "compiler/Tile/FromLayer/DeviceOpBuilder.h"

#include <cstring>
#include <fmt/core.h>

namespace tilerig::compiler {

namespace {

using namespace layer;
using graph::shapeOf;

// A lookup table from one 8-bit type to another, as the machine stores it: the entry for the lowest integer
// comes first.
OpVector tableVector(const std::vector<int32_t> &entries) {
  OpVector table{.elementBytes = 1, .perOutput = false, .bytes = {}};
  for (const int32_t entry : entries)
    table.bytes.push_back(static_cast<std::byte>(entry));
  return table;
}

// The clamping bounds that have the same effect as the lookup table; nullopt if the table does more than
// clamp.
std::optional<std::pair<int64_t, int64_t>> boundsOf(const std::vector<int32_t> &table, mlir::Type element) {
  const int64_t lowest = quantisedOf(element).getStorageTypeMin();
  const auto [low, high] = std::ranges::minmax(table);
  for (size_t i = 0; i < table.size(); ++i)
    if (table[i] != std::clamp<int64_t>(lowest + static_cast<int64_t>(i), low, high))
      return {};
  return std::pair<int64_t, int64_t>{low, high};
}

std::vector<std::byte> bytesOfFloats(const std::vector<float> &values) {
  std::vector<std::byte> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <class Product>
class Epilogues {
public:
  Epilogues(Product op, mlir::Value a, mlir::Value b, DeviceOpBuilder &to) : op(op), a(a), b(b), to(to) {}

  // Sets the epilogue of the operation and the vectors that the epilogue reads (bias, scale, table). Does not
  // set the addend, since only the caller knows which operand it is.
  Status fill(Epilogue &epilogue, DeviceOp &deviceOp) {
    TILERIG_CHECK_OK(fillBias(deviceOp));
    const mlir::Type result = elementOf(op.getOutput());
    if (!quantisedOf(elementOf(a))) {
      epilogue.finish = finishOf(op.getFunctionAttr(), result);
      epilogue.functionFirst = hasFunction() && op.getAddend() && op.getFunctionFirst();
      return success();
    }
    TILERIG_CHECK_OK(fillZeroPoints(epilogue));
    if (result.isInteger(32))
      return success();
    const bool isQuantised = static_cast<bool>(quantisedOf(result));
    const mlir::Type middle = isQuantised ? op.getMiddle().value_or(result) : mlir::Type();
    const std::vector<float> scales = productScales(elementOf(a), elementOf(b), middle);
    deviceOp.scale = {.elementBytes = 4, .perOutput = scales.size() > 1, .bytes = bytesOfFloats(scales)};
    if (!isQuantised) {
      epilogue.finish = finishOf(op.getFunctionAttr(), result);
      epilogue.functionFirst = hasFunction() && op.getAddend() && op.getFunctionFirst();
      return success();
    }
    return op.getAddend() ? fillAddend(epilogue, deviceOp, middle, result)
                          : fillTable(epilogue, deviceOp, middle, result);
  }

private:
  bool hasFunction() { return op.getFunction() && op.getFunctionAttr().getKind() != UnaryFunction::identity; }

  Status fillBias(DeviceOp &deviceOp) {
    if (!op.getBias())
      return success();
    auto constant = op.getBias().template getDefiningOp<ConstantOp>();
    if (!constant)
      return to.refuse("the bias is computed, but only a constant bias is supported");
    TILERIG_TRY(deviceOp.bias.bytes, accumulatorBytesOf(constant));
    deviceOp.bias.perOutput = true;
    return success();
  }

  Status fillZeroPoints(Epilogue &epilogue) {
    epilogue.inputZeroPoint = affineOf(elementOf(a)).zeroPoint;
    epilogue.weightZeroPoint = affineOf(elementOf(b)).zeroPoint;
    if (const auto perAxis = llvm::dyn_cast<mlir::quant::UniformQuantizedPerAxisType>(elementOf(b))) {
      const auto points = perAxis.getZeroPoints();
      if (!llvm::all_equal(points))
        return to.refuse("the zero points of the weights differ between channels, which is not supported");
      epilogue.weightZeroPoint = static_cast<int16_t>(points.front());
    }
    return success();
  }

  Status fillTable(Epilogue &epilogue, DeviceOp &deviceOp, mlir::Type middle, mlir::Type result) {
    epilogue.finish = finishOf({}, middle);
    if (!hasFunction() && middle == result)
      return success();
    if (storageOf(middle) != storageOf(result))
      return to.refuse("a function from int8 to uint8, or from uint8 to int8, is not supported");
    const std::vector<int32_t> table = tableOf(op.getFunctionAttr(), middle, result);
    return bound(table, middle, result, epilogue.finish) ? success() : setTable(deviceOp, table, result);
  }

  Status fillAddend(Epilogue &epilogue, DeviceOp &deviceOp, mlir::Type middle, mlir::Type result) {
    epilogue.middleType = *storageOf(middle);
    epilogue.middle = affineOf(middle);
    epilogue.addendAffine = affineOf(elementOf(op.getAddend()));
    epilogue.finish = finishOf({}, result);
    if (!hasFunction())
      return success();
    const mlir::Type at = op.getFunctionFirst() ? middle : result;
    const std::vector<int32_t> table = tableOf(op.getFunctionAttr(), at, at);
    if (!op.getFunctionFirst() && bound(table, at, at, epilogue.finish))
      return success();
    epilogue.functionFirst = op.getFunctionFirst();
    return setTable(deviceOp, table, at);
  }

  Status setTable(DeviceOp &deviceOp, const std::vector<int32_t> &table, mlir::Type entries) {
    if (storageOf(entries) == ElementType::i9)
      return to.refuse(
          "the lookup table of a product has 8-bit entries, so a function with a 9-bit result can only clamp");
    deviceOp.table = tableVector(table);
    return success();
  }

  // If the lookup table does nothing but clamp, replaces it by clamping bounds, which are cheaper, and
  // returns true.
  static bool bound(const std::vector<int32_t> &table, mlir::Type from, mlir::Type to, Finish &finish) {
    const auto bounds = from == to ? boundsOf(table, from) : std::nullopt;
    if (!bounds)
      return false;
    finish.clampLow = static_cast<int16_t>(bounds->first);
    finish.clampHigh = static_cast<int16_t>(bounds->second);
    return true;
  }

  Product op;
  mlir::Value a, b;
  DeviceOpBuilder &to;
};

Status formConv(ConvOp op, DeviceOpBuilder &to) {
  TILERIG_TRY(const TensorIndex input, to.tensor(op.getInput()));
  TILERIG_TRY(const TensorIndex weights, to.tensor(op.getWeights()));
  TILERIG_TRY(const TensorIndex result, to.tensor(op.getOutput()));
  const auto kernel = shapeOf(op.getWeights());
  const auto strides = op.getStrides(), dilations = op.getDilations(), pads = op.getPads();
  if (!fitsIn16(strides) || !fitsIn16(dilations) || !fitsIn16(pads))
    return to.refuse("a stride, dilation or padding exceeds 65535");
  const auto groups = static_cast<int64_t>(op.getGroups());
  const int64_t perGroup = kernel[0] / groups, channels = kernel[3];
  Conv conv;
  conv.groups = static_cast<uint32_t>(groups);
  conv.window = {static_cast<uint16_t>(strides[0]),
                 static_cast<uint16_t>(strides[1]),
                 static_cast<uint16_t>(dilations[0]),
                 static_cast<uint16_t>(dilations[1]),
                 0,
                 0};
  DeviceOp deviceOp = to.deviceOp(DeviceOpKind::conv, conv, result);
  std::ranges::copy(pads, deviceOp.pads.begin());
  TILERIG_CHECK_OK(Epilogues(op, op.getInput(), op.getWeights(), to)
                       .fill(std::get<Conv>(deviceOp.action).epilogue, deviceOp));
  const auto window = [&](int axis) {
    const auto i = static_cast<size_t>(axis) - 1;
    return AxisMap{.from = axis,
                   .numerator = strides[i],
                   .offset = -pads[i],
                   .high = (kernel[i + 1] - 1) * dilations[i]};
  };
  const AxisMap channelMap =
      groups == 1 ? AxisMap{}
                  : AxisMap{.from = 3, .grain = perGroup, .numerator = channels, .high = channels - 1};
  deviceOp.operands = {{input, {AxisMap::along(0), window(1), window(2), channelMap}},
                       {weights, {AxisMap::along(3), {}, {}, {}}}};
  if (op.getAddend()) {
    TILERIG_TRY(const TensorIndex addend, to.tensor(op.getAddend()));
    deviceOp.addend = deviceOp.operands.size();
    deviceOp.operands.push_back(to.broadcast(addend, result));
  }
  if (groups > 1)
    deviceOp.groupSize[3] = perGroup;
  deviceOp.outputAxis = 3;
  deviceOp.macs =
      Box::whole(to.shapeOf(result)).elements() * static_cast<uint64_t>(kernel[1] * kernel[2] * channels);
  to.add(std::move(deviceOp));
  return success();
}

Status formMatMul(MatMulOp op, DeviceOpBuilder &to) {
  TILERIG_TRY(const TensorIndex result, to.tensor(op.getOutput()));
  TILERIG_TRY(const TensorIndex a, to.tensor(op.getA()));
  // Constant weights are stored as a matrix of outputs x depth (the summed axis, K), so that the weights that
  // a tile needs are contiguous.
  const bool transposes = op.getTransposedB() && op.getB().getDefiningOp<ConstantOp>();
  TILERIG_TRY(const TensorIndex b, transposes ? to.transposed(op.getB()) : to.tensor(op.getB()));
  const bool depthFirst = op.getTransposedB() && !transposes;
  DeviceOp deviceOp = to.deviceOp(DeviceOpKind::matmul, Matmul{}, result);
  TILERIG_CHECK_OK(
      Epilogues(op, op.getA(), op.getB(), to).fill(std::get<Matmul>(deviceOp.action).epilogue, deviceOp));
  const int rank = static_cast<int>(to.shapeOf(result).size());
  const auto matrix = [&](TensorIndex tensor, AxisMap last2, AxisMap last) {
    Operand operand = to.broadcast(tensor, result);
    operand.axes[operand.axes.size() - 2] = last2;
    operand.axes[operand.axes.size() - 1] = last;
    return operand;
  };
  const AxisMap rows = AxisMap::along(rank - 2), columns = AxisMap::along(rank - 1),
                depth = AxisMap::summed();
  deviceOp.operands = {matrix(a, rows, depth),
                       depthFirst ? matrix(b, depth, columns) : matrix(b, columns, depth)};
  if (op.getAddend()) {
    TILERIG_TRY(const TensorIndex addend, to.tensor(op.getAddend()));
    deviceOp.addend = deviceOp.operands.size();
    deviceOp.operands.push_back(matrix(addend, rows, columns));
  }
  if (op.getB().getDefiningOp<ConstantOp>())
    deviceOp.outputAxis = static_cast<size_t>(rank) - 1;
  deviceOp.macs =
      Box::whole(to.shapeOf(result)).elements() * static_cast<uint64_t>(shapeOf(op.getA()).back());
  to.add(std::move(deviceOp));
  return success();
}

} // namespace

Result<bool> formProducts(mlir::Operation *operation, DeviceOpBuilder &to) {
  if (auto conv = llvm::dyn_cast<ConvOp>(operation)) {
    TILERIG_CHECK_OK(formConv(conv, to));
    return true;
  }
  if (auto matmul = llvm::dyn_cast<MatMulOp>(operation)) {
    TILERIG_CHECK_OK(formMatMul(matmul, to));
    return true;
  }
  return false;
}

} // namespace tilerig::compiler
