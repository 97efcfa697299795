#include "isa/Analyser/Overflow.h"

#include <algorithm>

namespace tilerig {

namespace {

constexpr int64_t limit = int64_t{1} << 31;

// The greatest |q - zeroPoint| over all values q of the type.
int64_t greatestOf(ElementType type, int zeroPoint) {
  const int64_t low = type == ElementType::u8 ? 0 : -128, high = type == ElementType::u8 ? 255 : 127;
  return std::max(high - zeroPoint, zeroPoint - low);
}

std::optional<Bounds> boundsOf(const Stream &stream, unsigned tile, Values &values) {
  std::vector<Region> regions;
  std::array<Steps, 5> dims;
  for (size_t d = 0; d < dims.size(); ++d)
    dims[d] = {stream.dims[d].stride, stream.dims[d].size};
  appendRegions(stream.base, sizeBytes(stream.type), dims, regions);
  return regions.size() == 1 ? values.boundsOf(ocmOf(tile), regions[0], stream.type) : std::nullopt;
}

// The greatest magnitude of an accumulator's start value; nullopt if unknown.
std::optional<int64_t> startOf(const Epilogue &epilogue, const Stream &output, unsigned tile,
                               Values &values) {
  const auto magnitude = [](std::optional<Bounds> bounds) {
    return bounds ? std::optional(bounds->magnitude()) : std::nullopt;
  };
  if (epilogue.accumulateFrom.present())
    return magnitude(boundsOf(epilogue.accumulateFrom, tile, values));
  if (!epilogue.bias.present)
    return 0;
  const uint64_t count = epilogue.bias.broadcast ? 1 : output.dims[4].size;
  return magnitude(
      values.boundsOf(ocmOf(tile), Region::ofRun(epilogue.bias.base, 4 * count), ElementType::i32));
}

// A bound on the magnitude of the accumulators when activations `a` are multiplied by `weights`. The
// `rowDims` innermost dimensions of the weights are those over which one accumulator sums. nullopt if no
// bound below 2^31 is known.
std::optional<int64_t> bound(const Stream &a, const Stream &weights, unsigned rowDims, const Stream &output,
                             const Epilogue &epilogue, unsigned tile, Values &values) {
  const auto start = startOf(epilogue, output, tile, values);
  if (!start)
    return std::nullopt;
  const int64_t activation = greatestOf(a.type, epilogue.inputZeroPoint);
  const auto within = [&](int64_t rowSum) -> std::optional<int64_t> {
    const int64_t total = rowSum <= limit ? rowSum * activation + *start : limit;
    return total < limit ? std::optional(total) : std::nullopt;
  };
  int64_t k = 1;
  for (size_t d = weights.dims.size() - rowDims; d < weights.dims.size(); ++d)
    k *= weights.dims[d].size;
  if (const auto byType = within(k * greatestOf(weights.type, epilogue.weightZeroPoint)))
    return byType;
  if (const auto sum = values.greatestRowSum(ocmOf(tile), weights, rowDims, epilogue.weightZeroPoint))
    return within(*sum);
  if (const auto weight = boundsOf(weights, tile, values)) {
    const Bounds centred{weight->low - epilogue.weightZeroPoint, weight->high - epilogue.weightZeroPoint};
    return within(k * centred.magnitude());
  }
  return std::nullopt;
}

} // namespace

std::optional<int64_t> accumulatorBound(const Matmul &instruction, unsigned tile, Values &values) {
  return bound(instruction.a, instruction.b, 1, instruction.output, instruction.epilogue, tile, values);
}
std::optional<int64_t> accumulatorBound(const Conv &instruction, unsigned tile, Values &values) {
  return bound(instruction.input, instruction.weights, 3, instruction.output, instruction.epilogue, tile,
               values);
}

} // namespace tilerig
