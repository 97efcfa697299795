#include "compiler/Layer/Precision/StatedRanges.h"

#include "compiler/Graph/IR/Origins.h"
#include "compiler/Layer/IR/Layer.h"

#include <cmath>
#include <fmt/core.h>

namespace tilerig::compiler {

namespace {

constexpr llvm::StringLiteral rangesAttribute = "layer.ranges";
constexpr llvm::StringLiteral sumRangeAttribute = "layer.sum_range";

mlir::Attribute attributeOf(mlir::MLIRContext *context, const ValueRange &range) {
  return mlir::DenseF32ArrayAttr::get(context, {range.low, range.high});
}

// The attribute with the range of a value; null if there is none.
mlir::Attribute rangeAttributeOf(mlir::Value value) {
  if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(value)) {
    auto function = llvm::cast<mlir::func::FuncOp>(argument.getOwner()->getParentOp());
    return function.getArgAttr(argument.getArgNumber(), rangesAttribute);
  }
  const auto all = value.getDefiningOp()->getAttrOfType<mlir::ArrayAttr>(rangesAttribute);
  const unsigned index = llvm::cast<mlir::OpResult>(value).getResultNumber();
  return all && index < all.size() ? all[index] : mlir::Attribute();
}

Result<ValueRange> readRange(mlir::Attribute attribute, const std::string &place) {
  const auto ends = llvm::dyn_cast_or_null<mlir::DenseF32ArrayAttr>(attribute);
  if (!ends || ends.size() != 2)
    return invalidInput(place, "the module states ranges, but none for this tensor",
                        fmt::format("give it an attribute {} with two ends, or remove all such attributes",
                                    rangesAttribute.str()));
  const ValueRange range{ends[0], ends[1]};
  if (!std::isfinite(range.low) || !std::isfinite(range.high) || range.low > 0 || range.high < 0)
    return invalidInput(place, fmt::format("the stated range {} ... {} is not finite, or does not contain 0",
                                           range.low, range.high));
  return range;
}

void eachValue(mlir::func::FuncOp function, llvm::function_ref<void(mlir::Value)> visit) {
  for (const mlir::BlockArgument argument : function.getArguments())
    visit(argument);
  for (mlir::Operation &operation : function.getBody().front().without_terminator())
    for (const mlir::Value result : operation.getResults())
      visit(result);
}

} // namespace

void stateRanges(mlir::func::FuncOp function, const Ranges &ranges) {
  mlir::MLIRContext *const context = function.getContext();
  for (const mlir::BlockArgument argument : function.getArguments())
    if (const auto entry = ranges.values.find(argument); entry != ranges.values.end())
      function.setArgAttr(argument.getArgNumber(), rangesAttribute, attributeOf(context, entry->second));
  for (mlir::Operation &operation : function.getBody().front().without_terminator()) {
    llvm::SmallVector<mlir::Attribute> all;
    for (const mlir::Value result : operation.getResults()) {
      const auto entry = ranges.values.find(result);
      all.push_back(entry == ranges.values.end() ? mlir::DenseF32ArrayAttr::get(context, {})
                                                 : attributeOf(context, entry->second));
    }
    if (llvm::any_of(operation.getResults(), needsRange))
      operation.setDiscardableAttr(rangesAttribute, mlir::ArrayAttr::get(context, all));
    if (const auto sum = ranges.sums.find(&operation); sum != ranges.sums.end())
      operation.setDiscardableAttr(sumRangeAttribute, attributeOf(context, sum->second));
  }
}

void stateRangeOfArgument(mlir::BlockArgument argument, mlir::Value value) {
  if (const mlir::Attribute range = rangeAttributeOf(value))
    llvm::cast<mlir::func::FuncOp>(argument.getOwner()->getParentOp())
        .setArgAttr(argument.getArgNumber(), rangesAttribute, range);
}

Result<std::optional<Ranges>> statedRanges(mlir::func::FuncOp function) {
  bool statesAny = false;
  eachValue(function, [&](mlir::Value value) { statesAny |= static_cast<bool>(rangeAttributeOf(value)); });
  if (!statesAny)
    return std::optional<Ranges>();
  Ranges ranges;
  Status status = success();
  eachValue(function, [&](mlir::Value value) {
    if (!status || !needsRange(value))
      return;
    const auto range = readRange(rangeAttributeOf(value), graph::nodeName(value.getLoc()));
    if (range)
      ranges.values[value] = *range;
    else
      status = range.error();
  });
  TILERIG_CHECK_OK(status);
  for (mlir::Operation &operation : function.getBody().front().without_terminator())
    if (const mlir::Attribute sum = operation.getDiscardableAttr(sumRangeAttribute)) {
      TILERIG_TRY(ranges.sums[&operation], readRange(sum, graph::nodeName(operation.getLoc())));
    }
  return std::optional(std::move(ranges));
}

void eraseStatedRanges(mlir::func::FuncOp function) {
  for (const mlir::BlockArgument argument : function.getArguments())
    function.removeArgAttr(argument.getArgNumber(), rangesAttribute);
  for (mlir::Operation &operation : function.getBody().front().without_terminator()) {
    operation.removeDiscardableAttr(rangesAttribute);
    operation.removeDiscardableAttr(sumRangeAttribute);
  }
}

} // namespace tilerig::compiler
