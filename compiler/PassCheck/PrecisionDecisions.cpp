#include "compiler/PassCheck/PrecisionDecisions.h"

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
  CalibratedRanges(mlir::func::FuncOp function, const Ranges &calibrated) : sharing(sharedTypes(function)) {
    for (const auto &[value, range] : calibrated.values) {
      alone[value] = {range.low, range.high};
      unions[leaderOf(value)].include(alone[value]);
    }
    for (mlir::Operation &operation : function.getBody().front().without_terminator())
      if (auto constant = llvm::dyn_cast<layer::ConstantOp>(operation))
        unions[leaderOf(constant.getOutput())].include(rangeOf(constant));
      else if (auto pad = llvm::dyn_cast<layer::PadOp>(operation))
        unions[leaderOf(pad.getOutput())].include(pad.getValue().convertToDouble());
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

// Name of the model's tensor that a value before the pass and one after it hold; empty if they hold none.
std::string tensorNameOf(mlir::Value before, mlir::Value after) {
  for (const mlir::Value value : {after, before})
    if (const auto origin = graph::tensorOrigin(value))
      return origin->name;
  return "";
}

Error changedOrder() {
  return unsupported("the pass check", "decide-precision has changed the order of layers");
}

// The scales of a quantised type: one, or one for each channel. Empty for any other type.
llvm::SmallVector<double> scalesOf(mlir::Type element) {
  if (const auto type = llvm::dyn_cast<PerTensor>(element))
    return {type.getScale()};
  if (const auto type = llvm::dyn_cast<mlir::quant::UniformQuantizedPerAxisType>(element))
    return llvm::SmallVector<double>(type.getScales());
  return {};
}

// Compares the integer bias of a product with the float bias of the same product before the pass. Returns the
// excess and the bound of the first element that is wrong.
template <class Product>
std::optional<std::pair<double, double>> wrongBias(Product before, Product after) {
  if (!before.getBias() || !after.getBias() ||
      !llvm::isa<mlir::FloatType>(layer::elementOf(before.getBias())))
    return {};
  auto real = before.getBias().template getDefiningOp<layer::ConstantOp>();
  auto stored = after.getBias().template getDefiningOp<layer::ConstantOp>();
  const auto input = llvm::dyn_cast<PerTensor>(layer::elementOf(after->getOperand(0)));
  const auto scales = scalesOf(layer::elementOf(after->getOperand(1)));
  if (!real || !stored || !input || scales.empty() || !layer::elementOf(after.getBias()).isInteger(32))
    return {};
  const auto reals = doublesIn(tensorOf(real.getValue()));
  const Tensor biases = tensorOf(stored.getValue());
  const auto integers = biases.as<int32_t>();
  if (!reals || reals->size() != integers.size())
    return {};
  for (size_t i = 0; i < reals->size(); ++i) {
    const double unit = input.getScale() * scales[i % scales.size()];
    // Half a unit for the rounding of the bias, and the rounding of the unit to a float.
    const double bound = 0.501 * unit + std::ldexp(std::abs((*reals)[i]), -23);
    if (const double excess = std::abs(integers[i] * unit - (*reals)[i]); excess > bound)
      return std::pair(excess, bound);
  }
  return {};
}

std::optional<std::pair<double, double>> wrongBiasOf(mlir::Operation *before, mlir::Operation *after) {
  if (auto conv = llvm::dyn_cast<layer::ConvOp>(after))
    return wrongBias(llvm::cast<layer::ConvOp>(before), conv);
  if (auto product = llvm::dyn_cast<layer::MatMulOp>(after))
    return wrongBias(llvm::cast<layer::MatMulOp>(before), product);
  return {};
}

} // namespace

Result<std::optional<WrongDecision>> findWrongRange(mlir::func::FuncOp before, mlir::func::FuncOp after,
                                                    const Ranges &ranges) {
  const CalibratedRanges calibrated(before, ranges);
  const std::optional<InFloats> inFloats = valuesInFloats(before, after);
  if (!inFloats)
    return changedOrder();
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
      if (missing > step || excess > step)
        return std::optional(WrongDecision{tensorNameOf(entry->second, value), entry->second, value,
                                           std::max(missing, excess), step});
    }
  return std::optional<WrongDecision>();
}

Result<std::optional<WrongDecision>> findWrongBias(mlir::func::FuncOp before, mlir::func::FuncOp after) {
  const std::optional<InFloats> inFloats = valuesInFloats(before, after);
  if (!inFloats)
    return changedOrder();
  for (mlir::Operation &operation : after.getBody().front().without_terminator())
    for (const mlir::Value value : operation.getResults()) {
      const mlir::Value own = inFloats->lookup(value);
      if (!own || !own.getDefiningOp() || own.getDefiningOp()->getName() != operation.getName())
        continue;
      if (const auto wrong = wrongBiasOf(own.getDefiningOp(), &operation))
        return std::optional(
            WrongDecision{tensorNameOf(own, value), own, value, wrong->first, wrong->second});
    }
  return std::optional<WrongDecision>();
}

} // namespace tilerig::compiler
