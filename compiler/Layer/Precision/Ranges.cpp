#include "compiler/Layer/Precision/Ranges.h"

#include "compiler/Layer/IR/Types.h"

namespace tilerig::compiler {

namespace {

// Number of layers on the longest path from an input to each value, including the layer that computes the
// value.
llvm::DenseMap<mlir::Value, unsigned> layersBefore(mlir::Block &block) {
  llvm::DenseMap<mlir::Value, unsigned> depths;
  for (mlir::Operation &operation : block) {
    unsigned depth = 0;
    for (const mlir::Value operand : operation.getOperands())
      depth = std::max(depth, depths.lookup(operand));
    const bool isLayer = !llvm::isa<layer::ConstantOp>(operation);
    for (const mlir::Value result : operation.getResults())
      depths[result] = depth + isLayer;
  }
  return depths;
}

// For each tensor its depth in the model (number of layers in front of it), scaled to 0 ... 1; see
// CalibrationRequest::depths.
std::map<std::string, double> depthsOf(const TensorNames &model) {
  if (model.tensors.empty())
    return {};
  mlir::Value any = model.tensors.begin()->first;
  const auto before = layersBefore(*any.getParentBlock());
  unsigned last = 1;
  for (const auto &[value, depth] : before)
    last = std::max(last, depth);
  const auto depthOf = [&](unsigned layers) {
    return layers < 2 ? 0 : static_cast<double>(layers - 1) / (last - 1);
  };
  std::map<std::string, double> depths;
  for (const auto &[value, tensor] : model.tensors)
    depths[tensor.name] = depthOf(before.lookup(value));
  for (const auto &[product, name] : model.sums)
    depths[name] = depthOf(before.lookup(product->getResult(0)));
  return depths;
}

} // namespace

bool feedsSoftmax(mlir::Value value) {
  return !value.use_empty() && llvm::all_of(value.getUsers(), [](mlir::Operation *user) {
    if (llvm::isa<layer::SoftmaxOp>(user))
      return true;
    return llvm::isa<layer::BinaryOp, layer::SelectOp>(user) && feedsSoftmax(user->getResult(0));
  });
}

bool needsRange(mlir::Value value) {
  return layer::isFloatForInstructions(layer::elementOf(value)) && !value.getDefiningOp<layer::ConstantOp>();
}

CalibrationRequest requestFor(const TensorNames &model, QuantisedType type, const RangeMethod &method) {
  CalibrationRequest request{.tensors = {}, .method = method, .groups = {}, .depths = depthsOf(model)};
  for (const auto &[value, tensor] : model.tensors)
    if (needsRange(value)) {
      request.tensors[tensor.name] = type;
      if (feedsSoftmax(value))
        request.masked.insert(tensor.name);
    }
  for (const auto &[product, name] : model.sums)
    request.tensors[name] = type;
  return request;
}

Result<Ranges> rangesOf(const TensorNames &model, const CalibrationTable &table) {
  // Tensors are looked up in the order of their names, so that if several are missing, the error always names
  // the same one.
  for (const auto &[name, type] : requestFor(model, QuantisedType::int8, {}).tensors) {
    TILERIG_TRY([[maybe_unused]] const CalibratedTensor row, table.get(name));
  }
  Ranges ranges;
  for (const auto &[value, tensor] : model.tensors)
    if (needsRange(value)) {
      TILERIG_TRY(const CalibratedTensor row, table.get(tensor.name));
      ranges.values[value] = row.range;
    }
  for (const auto &[product, name] : model.sums) {
    TILERIG_TRY(const CalibratedTensor row, table.get(name));
    ranges.sums[product] = row.range;
  }
  return ranges;
}

} // namespace tilerig::compiler
