#include "compiler/Deciding/Ranges.h"

#include "compiler/Dialect/Layer/Types.h"

namespace tilerig {

namespace {

// Constants know their range themselves.
bool needsRange(mlir::Value value) {
  return llvm::isa<mlir::FloatType>(layer::elementOf(value)) && !value.getDefiningOp<layer::ConstantOp>();
}

} // namespace

Result<CalibrationTable> calibrate(const ExportedModel &model, CalibrationSource &source,
                                   const RangeMethod &method) {
  std::vector<std::string> names;
  for (const auto &[value, name] : model.tensors)
    if (needsRange(value))
      names.push_back(name);
  for (const auto &[product, name] : model.sums)
    names.push_back(name);
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  TRY(const StatisticsByName statistics, source.statistics(names));
  CalibrationTable table{source.describe(), {}};
  for (const auto &[name, seen] : statistics) {
    TRY(const ValueRange range, chooseRange(name, seen, method));
    table.tensors.emplace(name, CalibratedTensor{QuantisedType::int8, method, range});
  }
  return table;
}

Result<Ranges> rangesOf(const ExportedModel &model, const CalibrationTable &table) {
  Ranges ranges;
  for (const auto &[value, name] : model.tensors)
    if (needsRange(value)) {
      TRY(const CalibratedTensor row, table.get(name));
      ranges.values[value] = row.range;
    }
  for (const auto &[product, name] : model.sums) {
    TRY(const CalibratedTensor row, table.get(name));
    ranges.sums[product] = row.range;
  }
  return ranges;
}

} // namespace tilerig
