// Bugs in activation functions, and in the lookup tables that represent them.
#include "compiler/Inject/Program/LayerOps.h"
#include "isa/Numerics/Functions.h"

#include <cmath>

namespace tilerig::compiler {

namespace {

constexpr int numEntries = 256;

bool isBounded(const Finish &finish, ElementType type) {
  const TypeBounds bounds = boundsOf(type);
  return finish.clampLow != bounds.low || finish.clampHigh != bounds.high;
}

// Converts a function's name in the bug catalogue, such as "leaky_relu", to the function with parameter
// `alpha`.
struct Replacement {
  UnaryFunction function = UnaryFunction::identity;
  float alpha = 0;
};
Replacement replacementNamed(std::string_view word) {
  const UnaryFunction function = *mathFunctionNamed(word);
  return {function, function == UnaryFunction::leakyRelu ? 0.1F : 0.0F};
}

int nearestInteger(double value, TypeBounds bounds) {
  return static_cast<int>(std::clamp<double>(std::nearbyint(value), bounds.low, bounds.high));
}

// The lookup table of an activation function for 8-bit inputs. The first entry is for the lowest input.
ByteRow tableOf(Replacement replacement, Affine from, Affine to, ElementType type) {
  const TypeBounds bounds = boundsOf(type);
  ByteRow table;
  for (int i = 0; i < numEntries; ++i) {
    const float x = static_cast<float>(bounds.low + i - from.zeroPoint) * from.scale;
    const double y = evaluate(replacement.function, x, replacement.alpha, 0);
    table.push_back(static_cast<std::byte>(nearestInteger(y / to.scale + to.zeroPoint, bounds)));
  }
  return table;
}

Status replaceFloatFunction(Finish &finish, BugDraw &draw) {
  TILERIG_TRY(const std::string_view word, draw.word("function", [&](std::string_view candidate) {
    return candidate != nameOf(finish.function);
  }));
  const Replacement replacement = replacementNamed(word);
  finish.function = replacement.function;
  finish.alpha = replacement.alpha;
  finish.beta = 0;
  return success();
}

// Replaces the activation table of a layer, which maps requantised 8-bit sums to 8-bit results, by the table
// of another function.
Status replaceTable(DeviceOp &deviceOp, Affine from, Affine to, ElementType type, BugDraw &draw) {
  TILERIG_TRY(const std::string_view word, draw.word("function", [&](std::string_view candidate) {
    return tableOf(replacementNamed(candidate), from, to, type) != deviceOp.table.bytes;
  }));
  deviceOp.table = {
      .elementBytes = 1, .perOutput = false, .bytes = tableOf(replacementNamed(word), from, to, type)};
  return success();
}

Status replaceEightBitFunction(const LayerOps &layer, DeviceOp &deviceOp, BugDraw &draw) {
  const DeviceTensor &result = layer.tensor(deviceOp.result);
  if (std::holds_alternative<Lookup>(deviceOp.action))
    return replaceTable(deviceOp, layer.tensor(deviceOp.operands[0].tensor).affine, result.affine,
                        result.type, draw);
  if (!isProduct(deviceOp) || deviceOp.addend)
    return hasNot("the activation function of the layer does not directly follow a sum of products");
  Finish &finish = epilogueOf(deviceOp).finish;
  if (!deviceOp.table.present() && !isBounded(finish, result.type))
    return hasNot("the layer has no activation function");
  TILERIG_CHECK_OK(replaceTable(deviceOp, finish.output, result.affine, result.type, draw));
  const TypeBounds bounds = boundsOf(result.type);
  finish.clampLow = bounds.low;
  finish.clampHigh = bounds.high;
  return success();
}

Status replaceFunction(const LayerOps &layer, BugDraw &draw) {
  const auto isOne = [&](const DeviceOp &deviceOp) {
    return isProduct(deviceOp) || std::holds_alternative<Lookup>(deviceOp.action) ||
           std::holds_alternative<Activate>(deviceOp.action) ||
           std::holds_alternative<Binary>(deviceOp.action);
  };
  const auto step = layer.find(isOne);
  if (!step)
    return hasNot("the layer has no activation function");
  DeviceOp &deviceOp = layer.at(*step);
  Finish *finish = finishOf(deviceOp.action);
  if (finish && finish->function != UnaryFunction::identity)
    return replaceFloatFunction(*finish, draw);
  if (isEightBits(layer.tensor(deviceOp.result).type))
    return replaceEightBitFunction(layer, deviceOp, draw);
  return hasNot("the layer has no activation function");
}

// A lookup table that clamps the requantised sum before the addend is added. It uses the clamping bounds that
// the correct program applies after the addition.
ByteRow boundsAsTable(const Epilogue &epilogue, ElementType type) {
  const TypeBounds all = boundsOf(type), middle = boundsOf(epilogue.middleType);
  const Finish &finish = epilogue.finish;
  const auto inMiddle = [&](int16_t bound, int16_t unbounded, int16_t otherwise) {
    if (bound == unbounded)
      return static_cast<int>(otherwise);
    const double real = (bound - finish.output.zeroPoint) * static_cast<double>(finish.output.scale);
    return nearestInteger(real / epilogue.middle.scale + epilogue.middle.zeroPoint, middle);
  };
  const int low = inMiddle(finish.clampLow, all.low, middle.low),
            high = inMiddle(finish.clampHigh, all.high, middle.high);
  ByteRow table;
  for (int i = 0; i < numEntries; ++i)
    table.push_back(static_cast<std::byte>(std::clamp(middle.low + i, low, high)));
  return table;
}

Status reorderFunction(const LayerOps &layer, BugDraw &) {
  const auto step =
      layer.find([](const DeviceOp &deviceOp) { return isProduct(deviceOp) && deviceOp.addend; });
  if (!step)
    return hasNot("the layer has no addend");
  DeviceOp &deviceOp = layer.at(*step);
  Epilogue &epilogue = epilogueOf(deviceOp);
  const ElementType type = layer.tensor(deviceOp.result).type;
  const bool isQuantised = isEightBits(type);
  if (epilogue.finish.function != UnaryFunction::identity || deviceOp.table.present()) {
    epilogue.functionFirst = !epilogue.functionFirst;
    return success();
  }
  if (!isQuantised || !isBounded(epilogue.finish, type))
    return hasNot("the layer has no activation function");
  deviceOp.table = {.elementBytes = 1, .perOutput = false, .bytes = boundsAsTable(epilogue, type)};
  epilogue.functionFirst = true;
  const TypeBounds all = boundsOf(type);
  epilogue.finish.clampLow = all.low;
  epilogue.finish.clampHigh = all.high;
  return success();
}

Result<size_t> tableOpOf(const LayerOps &layer) {
  const auto step =
      layer.find([](const DeviceOp &deviceOp) { return deviceOp.table.bytes.size() == numEntries; });
  if (!step)
    return hasNot("the layer has no lookup table");
  return *step;
}

Status changeEntry(const LayerOps &layer, BugDraw &draw) {
  TILERIG_TRY(const size_t step, tableOpOf(layer));
  ByteRow &table = layer.at(step).table.bytes;
  TILERIG_TRY(const size_t entry, draw.index("entry", table.size()));
  TILERIG_TRY(const int64_t by, draw.nonZero("by", -127, 127));
  table[entry] = static_cast<std::byte>(static_cast<int64_t>(table[entry]) + by);
  return success();
}

Status repeatSegment(const LayerOps &layer, BugDraw &draw) {
  TILERIG_TRY(const size_t step, tableOpOf(layer));
  ByteRow &table = layer.at(step).table.bytes;
  const auto size = static_cast<int64_t>(table.size());
  TILERIG_TRY(const int64_t length, draw.number("length", 2, 128));
  TILERIG_TRY(const int64_t first, draw.number("first", length, size - length));
  std::copy_n(table.begin() + (first - length), length, table.begin() + first);
  return success();
}

constexpr OpBug bugsOfFunctions[] = {
    {"activation-wrong", replaceFunction},
    {"activation-order", reorderFunction},
    {"table-entry", changeEntry},
    {"table-segment", repeatSegment},
};

} // namespace

std::span<const OpBug> functionBugs() { return bugsOfFunctions; }

} // namespace tilerig::compiler
