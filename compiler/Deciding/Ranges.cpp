#include "compiler/Deciding/Ranges.h"

#include "compiler/Dialect/Layer/Types.h"

namespace tilerig {

namespace {

// Constants know their range themselves.
bool needsRange(mlir::Value value) {
  return llvm::isa<mlir::FloatType>(layer::elementOf(value)) && !value.getDefiningOp<layer::ConstantOp>();
}

} // namespace

bool feedsSoftmax(mlir::Value value) {
  return !value.use_empty() && llvm::all_of(value.getUsers(), [](mlir::Operation *user) {
    if (llvm::isa<layer::SoftmaxOp>(user))
      return true;
    return llvm::isa<layer::BinaryOp, layer::SelectOp>(user) && feedsSoftmax(user->getResult(0));
  });
}

CalibrationRequest requestFor(const ExportedModel &model, QuantisedType type, const RangeMethod &method) {
  CalibrationRequest request{{}, method, {}};
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

Result<Ranges> rangesOf(const ExportedModel &model, const CalibrationTable &table) {
  // By name, so that it is always the same one whose absence is told.
  for (const auto &[name, type] : requestFor(model, QuantisedType::int8, {}).tensors) {
    TRY([[maybe_unused]] const CalibratedTensor row, table.get(name));
  }
  Ranges ranges;
  for (const auto &[value, tensor] : model.tensors)
    if (needsRange(value)) {
      TRY(const CalibratedTensor row, table.get(tensor.name));
      ranges.values[value] = row.range;
    }
  for (const auto &[product, name] : model.sums) {
    TRY(const CalibratedTensor row, table.get(name));
    ranges.sums[product] = row.range;
  }
  return ranges;
}

} // namespace tilerig
