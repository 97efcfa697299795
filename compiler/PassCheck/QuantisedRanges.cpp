#include "compiler/PassCheck/QuantisedRanges.h"

#include "compiler/Export/Export.h"
#include "compiler/Graph/IR/Origins.h"
#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/Layer/IR/Layer.h"
#include "compiler/Layer/IR/Types.h"

#include <cmath>
#include <llvm/ADT/EquivalenceClasses.h>
#include <llvm/ADT/STLExtras.h>

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

// The range of a constant's finite elements and 0; a constant that is not a float has the range [0, 0].
RealRange rangeOf(layer::ConstantOp constant) {
  RealRange range;
  for (const double element : doublesIn(tensorOf(constant.getValue())).value_or(std::vector<double>()))
    range.include(element);
  return range;
}

// Classes of values that have to share one type, because layers only move or concatenate their elements.
llvm::EquivalenceClasses<void *> sharedTypes(mlir::func::FuncOp function) {
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

// The calibrated range of each float value of the function, as the function was before the pass
// decide-precision.
class CalibratedRanges {
public:
  static Result<CalibratedRanges> of(mlir::func::FuncOp function, const CalibrationTable &table) {
    CalibratedRanges ranges;
    ranges.sharing = sharedTypes(function);
    TILERIG_TRY(const TensorNames names, exportedNames(function->getParentOfType<mlir::ModuleOp>()));
    for (const auto &[value, tensor] : names.tensors)
      if (const auto row = table.tensors.find(tensor.name); row != table.tensors.end()) {
        ranges.alone[value] = {row->second.range.low, row->second.range.high};
        ranges.unions[ranges.leaderOf(value)].include(ranges.alone[value]);
      }
    for (mlir::Operation &operation : function.getBody().front().without_terminator())
      if (auto constant = llvm::dyn_cast<layer::ConstantOp>(operation))
        ranges.unions[ranges.leaderOf(constant.getOutput())].include(rangeOf(constant));
      else if (auto pad = llvm::dyn_cast<layer::PadOp>(operation))
        ranges.unions[ranges.leaderOf(pad.getOutput())].include(pad.getValue().convertToDouble());
    return ranges;
  }

  // The calibrated range of one value; empty if it is a constant or not a float.
  std::optional<RealRange> find(mlir::Value value) const {
    const auto entry = alone.find(value);
    return entry == alone.end() ? std::nullopt : std::optional(entry->second);
  }
  // The union of the ranges of all values that have to share the value's type.
  RealRange shared(mlir::Value value) const { return unions.lookup(leaderOf(value)); }

private:
  void *leaderOf(mlir::Value value) const {
    void *const own = value.getAsOpaquePointer();
    return sharing.contains(own) ? sharing.getLeaderValue(own) : own;
  }

  llvm::EquivalenceClasses<void *> sharing;
  llvm::DenseMap<mlir::Value, RealRange> alone;
  llvm::DenseMap<void *, RealRange> unions;
};

// Maps each value of the function after the pass decide-precision to the value of the function before it. The
// pass adds constants and layers that convert between types, but keeps all other layers and their order.
using InFloats = llvm::DenseMap<mlir::Value, mlir::Value>;

std::optional<InFloats> valuesInFloats(mlir::func::FuncOp before, mlir::func::FuncOp after) {
  const auto isLayer = [](mlir::Operation &operation) {
    return !operation.hasTrait<mlir::OpTrait::ConstantLike>();
  };
  auto layersBefore = llvm::make_filter_range(before.getBody().front().without_terminator(), isLayer);
  auto next = layersBefore.begin();
  InFloats values;
  for (const auto [own, other] : llvm::zip_equal(after.getArguments(), before.getArguments()))
    values[own] = other;
  for (mlir::Operation &operation :
       llvm::make_filter_range(after.getBody().front().without_terminator(), isLayer)) {
    const bool isSame = next != layersBefore.end() && (*next).getName() == operation.getName() &&
                        (*next).getLoc() == operation.getLoc();
    if (isSame)
      for (const auto [own, other] : llvm::zip_equal(operation.getResults(), (*next++).getResults()))
        values[own] = other;
    else if (auto conversion = llvm::dyn_cast<layer::ActivateOp>(operation);
             conversion && !conversion.getFunction())
      values[operation.getResult(0)] = values.lookup(operation.getOperand(0));
    else
      return {};
  }
  return next == layersBefore.end() ? std::optional(values) : std::nullopt;
}

} // namespace

Result<std::optional<WrongRange>> findWrongRange(mlir::func::FuncOp before, mlir::func::FuncOp after,
                                                 const CalibrationTable &table) {
  TILERIG_TRY(const CalibratedRanges calibrated, CalibratedRanges::of(before, table));
  const std::optional<InFloats> inFloats = valuesInFloats(before, after);
  if (!inFloats)
    return unsupported("the pass check", "decide-precision has changed the order of layers");
  for (mlir::Operation &operation : after.getBody().front().without_terminator())
    for (const mlir::Value value : operation.getResults()) {
      const auto type = llvm::dyn_cast<PerTensor>(layer::elementOf(value));
      const auto entry = inFloats->find(value);
      if (!type || entry == inFloats->end())
        continue;
      const std::optional<RealRange> own = calibrated.find(entry->second);
      const RealRange shared = calibrated.shared(entry->second);
      if (!own || own->width() == 0)
        continue; // constants have no calibrated range, and any type can represent a tensor of zeros
      // Rounding the zero point may move the range by one step of an 8-bit type, or two of a 9-bit type.
      const double steps = type.getStorageTypeIntegralWidth() > 8 ? 2 : 1;
      const double step = steps * type.getScale() * 1.001;
      // A type with the smallest possible scale, which is the smallest normal float, never counts as too
      // coarse.
      const bool isFinest = type.getScale() <= static_cast<double>(std::numeric_limits<float>::min());
      const double excess = isFinest ? 0 : rangeOf(type).width() - shared.width();
      const double missing = std::max(rangeOf(type).low - own->low, own->high - rangeOf(type).high);
      if (missing > step || excess > step) {
        const auto origin = graph::tensorOrigin(value);
        return std::optional(WrongRange{origin ? origin->name : "", value, std::max(missing, excess), step});
      }
    }
  return std::optional<WrongRange>();
}

} // namespace tilerig::compiler
