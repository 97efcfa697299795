#include "tests/support/RandomOperands.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace tilerig::test {

Operands::Operands(Random &random, const Site &site)
    : random(random), site(site), slotBytes(site.machine.tile.ocmBytes / 16),
      maxElements(std::min(site.maxElements, slotBytes / 4)) {
  std::iota(slots.begin(), slots.end(), uint8_t{0});
  random.shuffle(slots);
}

Sizes Operands::sizes(uint32_t most) {
  Sizes sizes;
  std::array<unsigned, 5> order{0, 1, 2, 3, 4};
  random.shuffle(order);
  for (unsigned d : order) {
    sizes[d] = random.chance(40) ? 1 : static_cast<uint32_t>(random.ragged(most));
    most /= sizes[d];
  }
  return sizes;
}

// A stream with the dimensions of `order` from the innermost to the outermost; with random gaps between
// elements if these fit in the slot of the OCM that belongs to the operand, else packed.
Stream Operands::place(Space space, ElementType type, const Sizes &sizes,
                       const std::array<unsigned, 5> &order, bool repeats) {
  const unsigned element = sizeBytes(type);
  Stream stream{.space = space, .type = type};
  uint64_t extent = 0;
  const uint64_t capacity = space == Space::ddr ? site.machine.ddr.sizeBytes / 16 : slotBytes;
  for (const bool gaps : {true, false}) {
    extent = element;
    for (unsigned d : order) {
      stream.dims[d] = {sizes[d], 0};
      if (sizes[d] == 1 || (repeats && random.chance(15)))
        continue;
      const uint64_t gap = gaps && random.chance(30) ? element * random.ragged(64) : 0;
      stream.dims[d].stride = static_cast<uint32_t>(extent + gap);
      extent += (sizes[d] - 1) * (extent + gap);
    }
    if (extent <= capacity)
      break;
  }
  if (space == Space::remote)
    stream.tile = static_cast<uint8_t>((site.tile + 1 + random.below(site.tiles - 1)) % site.tiles);
  stream.base = address(space, extent, element);
  return stream;
}

uint64_t Operands::address(Space space, uint64_t extent, unsigned alignment) {
  uint64_t begin = 0, size = site.machine.ddr.sizeBytes;
  if (space != Space::ddr) {
    begin = uint64_t{slotBytes} * slots[slotsTaken++];
    size = slotBytes;
  }
  const uint64_t last = (begin + size - extent) / alignment * alignment;
  if (random.chance(10))
    return last;
  return begin + random.below(last - begin + 1) / alignment * alignment;
}

Stream Operands::read(Space space, ElementType type, const Sizes &sizes) {
  std::array<unsigned, 5> order{4, 3, 2, 1, 0};
  if (random.chance(50))
    random.shuffle(order);
  return place(space, type, sizes, order, random.chance(50));
}

Stream Operands::write(Space space, ElementType type, const Sizes &sizes) {
  return place(space, type, sizes, {4, 3, 2, 1, 0}, false);
}

Vector Operands::vector(uint32_t count, unsigned elementBytes) {
  if (random.chance(30))
    return {.present = true, .broadcast = true, .base = address(Space::ocm, elementBytes, elementBytes)};
  return table(count, elementBytes);
}

Vector Operands::table(uint32_t count, unsigned elementBytes) {
  return {.present = true, .base = address(Space::ocm, uint64_t{count} * elementBytes, elementBytes)};
}

uint32_t randomLayer(Random &random) { return static_cast<uint32_t>(random.below(1u << 24)); }

float finiteFloat(Random &random) {
  constexpr auto edges =
      std::to_array({0.0f, -0.0f, 1.0f, -1.0f, 0.1f, std::numeric_limits<float>::denorm_min(),
                     std::numeric_limits<float>::max(), std::numeric_limits<float>::lowest()});
  if (random.chance(30))
    return random.pick(edges);
  const auto bits = static_cast<uint32_t>(random.next());
  // An exponent of all ones means infinity or NaN; clearing one of its bits makes the number finite.
  return std::bit_cast<float>((bits & 0x7F800000) == 0x7F800000 ? bits & ~0x00800000u : bits);
}

float positiveFloat(Random &random) {
  const float value = std::bit_cast<float>(std::bit_cast<uint32_t>(finiteFloat(random)) & 0x7FFFFFFF);
  return value > 0 ? value : 1.0f;
}

int16_t lowestOf(ElementType type) { return type == u8 ? 0 : type == i8 ? -128 : -256; }
int16_t highestOf(ElementType type) { return type == i8 ? 127 : 255; }

Affine affineOf(Random &random, ElementType type) {
  if (!isQuantised(type))
    return {};
  return {positiveFloat(random), static_cast<int16_t>(random.between(lowestOf(type), highestOf(type)))};
}

static void drawFunction(Finish &finish, Random &random) {
  using enum UnaryFunction;
  finish.function = pickEnum<UnaryFunction>(random);
  const UnaryFunction function = finish.function;
  const bool two = function == clip || function == selu || function == hardSigmoid;
  if (two || function == leakyRelu || function == thresholdedRelu || function == elu || function == celu)
    finish.alpha = finiteFloat(random);
  if (two)
    finish.beta = finiteFloat(random);
}

Finish quantisingFinish(Random &random, ElementType output) {
  Finish finish;
  finish.rounding = pickEnum<RoundingMode>(random);
  finish.wrap = output != i9 && random.chance(30);
  // A result that may wrap around is first clamped to 9 bits; then its upper bits are dropped. The clamp
  // bounds may therefore be any 9-bit integers.
  const ElementType bounds = finish.wrap ? i9 : output;
  finish.clampLow = static_cast<int16_t>(random.between(lowestOf(bounds), highestOf(bounds)));
  finish.clampHigh = static_cast<int16_t>(random.between(finish.clampLow, highestOf(bounds)));
  finish.output = affineOf(random, output);
  return finish;
}

Finish anyFinish(Random &random, ElementType output) {
  Finish finish;
  if (isQuantised(output))
    finish = quantisingFinish(random, output);
  drawFunction(finish, random);
  return finish;
}

Finish integerFinish(Random &random) {
  using enum UnaryFunction;
  Finish finish;
  finish.function = random.pick({identity, relu, abs, neg, sign, logicalNot});
  return finish;
}

Finish keepingFinish(ElementType type, const Affine &affine) {
  Finish finish;
  finish.clampLow = lowestOf(type);
  finish.clampHigh = highestOf(type);
  finish.output = affine;
  return finish;
}

Window randomWindow(Random &random) {
  auto step = [&] { return static_cast<uint16_t>(random.chance(50) ? 1 : random.ragged(5)); };
  auto pad = [&] { return static_cast<uint16_t>(random.chance(50) ? 0 : random.ragged(6)); };
  return {step(), step(), step(), step(), pad(), pad()};
}

uint32_t coveredSize(Random &random, uint32_t outputs, uint32_t taps, uint32_t stride, uint32_t dilation,
                     uint32_t pad, uint32_t most) {
  const int64_t exact = int64_t{outputs - 1} * stride + int64_t{taps - 1} * dilation + 1 - pad;
  return static_cast<uint32_t>(std::clamp<int64_t>(exact + random.between(-3, 3), 1, most));
}

uint32_t elementBits(Random &random, ElementType type) {
  const auto bits = static_cast<uint32_t>(random.next());
  if (type == i9) // an i9 is sign-extended into its 16-bit container
    return static_cast<uint16_t>(random.between(-256, 255));
  return sizeBytes(type) == 4 ? bits : bits & ((1u << 8 * sizeBytes(type)) - 1);
}

} // namespace tilerig::test
