#include "compiler/PassCheck/QuantisedRanges.h"

#include "compiler/Export/Export.h"
#include "compiler/Graph/IR/Origins.h"
#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/Layer/IR/Layer.h"
#include "compiler/Layer/IR/Types.h"

#include <cmath>
#include <llvm/ADT/EquivalenceClasses.h>

namespace tilerig::compiler {

namespace {

using PerTensor = mlir::quant::UniformQuantizedType;

struct RealRange {
  double low = 0, high = 0;

  void include(const RealRange &other) {
    low = std::min(low, other.low);
    high = std::max(high, other.high);
  }
  void include(double number) {
    if (std::isfinite(number))
      include(RealRange{std::min(number, 0.0), std::max(number, 0.0)});
  }
  double width() const { return high - low; }
};

RealRange rangeOf(PerTensor type) {
  const auto real = [&](int64_t stored) {
    return static_cast<double>(stored - type.getZeroPoint()) * type.getScale();
  };
  return {real(type.getStorageTypeMin()), real(type.getStorageTypeMax())};
}

// Of its finite elements; a constant that is no float has the range 0.
RealRange rangeOf(layer::ConstantOp constant) {
  RealRange range;
  for (const double element : doublesIn(tensorOf(constant.getValue())).value_or(std::vector<double>()))
    range.include(element);
  return range;
}

// The calibrated ranges of the model's tensors, by name: of each alone, and of all that share its type.
class CalibratedRanges {
public:
  static Result<CalibratedRanges> of(mlir::func::FuncOp function, const CalibrationTable &table) {
    CalibratedRanges ranges;
    TILERIG_TRY(const TensorNames names, exportedNames(function->getParentOfType<mlir::ModuleOp>()));
    llvm::DenseMap<mlir::Value, RealRange> known;
    for (const auto &[value, tensor] : names.tensors)
      if (const auto row = table.tensors.find(tensor.name); row != table.tensors.end())
        known[value] = {row->second.range.low, row->second.range.high};
    const llvm::EquivalenceClasses<void *> sharing = sharedTypes(function);
    llvm::DenseMap<void *, RealRange> unions;
    const auto leaderOf = [&](mlir::Value value) {
      void *const own = value.getAsOpaquePointer();
      return sharing.contains(own) ? sharing.getLeaderValue(own) : own;
    };
    for (const auto &[value, range] : known)
      unions[leaderOf(value)].include(range);
    for (mlir::Operation &operation : function.getBody().front().without_terminator())
      if (auto constant = llvm::dyn_cast<layer::ConstantOp>(operation))
        unions[leaderOf(constant.getOutput())].include(rangeOf(constant));
      else if (auto pad = llvm::dyn_cast<layer::PadOp>(operation))
        unions[leaderOf(pad.getOutput())].include(pad.getValue().convertToDouble());
    for (const auto &[value, range] : known)
      if (const auto origin = graph::tensorOrigin(value)) {
        ranges.alone[origin->name].include(range);
        ranges.shared[origin->name].include(unions[leaderOf(value)]);
      }
    return ranges;
  }

  bool contains(const std::string &tensor) const { return alone.contains(tensor); }
  std::map<std::string, RealRange> alone, shared;

private:
  static llvm::EquivalenceClasses<void *> sharedTypes(mlir::func::FuncOp function) {
    llvm::EquivalenceClasses<void *> classes;
    for (mlir::Operation &operation : function.getBody().front().without_terminator()) {
      const bool isConcat = llvm::isa<layer::ConcatOp>(operation);
      if (!isConcat && !layer::keepsStoredType(&operation))
        continue;
      const auto operands = isConcat ? operation.getOperands() : operation.getOperands().take_front();
      for (const mlir::Value operand : operands)
        classes.unionSets(operand.getAsOpaquePointer(), operation.getResult(0).getAsOpaquePointer());
    }
    return classes;
  }
};

} // namespace

Result<std::optional<WrongRange>> findWrongRange(mlir::func::FuncOp before, mlir::func::FuncOp after,
                                                 const CalibrationTable &table) {
  TILERIG_TRY(const CalibratedRanges calibrated, CalibratedRanges::of(before, table));
  for (mlir::Operation &operation : after.getBody().front().without_terminator())
    for (const mlir::Value value : operation.getResults()) {
      const auto type = llvm::dyn_cast<PerTensor>(layer::elementOf(value));
      const auto origin = graph::tensorOrigin(value);
      const bool isConstant = operation.hasTrait<mlir::OpTrait::ConstantLike>();
      if (!type || !origin || isConstant || !calibrated.contains(origin->name))
        continue;
      const RealRange own = calibrated.alone.at(origin->name), shared = calibrated.shared.at(origin->name);
      if (shared.width() == 0)
        continue;
      // The zero point is rounded to a step of eight bits, which is two steps of nine.
      const double steps = type.getStorageTypeIntegralWidth() > 8 ? 2 : 1;
      const double step = steps * type.getScale() * 1.001, excess = rangeOf(type).width() - shared.width();
      const double missing = std::max(rangeOf(type).low - own.low, own.high - rangeOf(type).high);
      if (missing > step || excess > step)
        return std::optional(WrongRange{origin->name, value, std::max(missing, excess), step});
    }
  return std::optional<WrongRange>();
}

} // namespace tilerig::compiler
