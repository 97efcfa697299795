// Generator of random legal operands, of which random instructions are made.
//
// The OCM (on-chip memory) is divided into sixteen equal slots, and every operand of an instruction gets its
// own slot.
#pragma once

#include "tests/support/RandomInstruction.h"

#include <numeric>

namespace tilerig::test {

using Sizes = std::array<uint32_t, 5>;
using enum ElementType;

inline constexpr std::array quantisedTypes{i8, u8, i9};
inline constexpr std::array podIntegerTypes{i8, u8};
inline constexpr std::array floatTypes{fp16, bf16, fp32};
inline constexpr std::array realTypes{i8, u8, i9, fp16, bf16, fp32};
inline constexpr std::array allTypes{i8, u8, i9, i32, fp16, bf16, fp32};

template <class Enum>
Enum pickEnum(Random &random) {
  return static_cast<Enum>(random.below(EnumNames<Enum>::values.size()));
}

// Generates the operands of one instruction.
class Operands {
public:
  Operands(Random &random, const Site &site);

  // The most elements that an operand may have.
  uint32_t budget() const { return maxElements; }
  // Five random sizes of dimensions, whose product is at most `most`.
  Sizes sizes(uint32_t most);
  Sizes sizes() { return sizes(maxElements); }

  // Random streams (address patterns): dimensions in any order; a read stream may repeat elements (stride 0).
  Stream read(Space space, ElementType type, const Sizes &sizes);
  Stream write(Space space, ElementType type, const Sizes &sizes);
  Stream read(ElementType type, const Sizes &sizes) { return read(Space::ocm, type, sizes); }
  Stream write(ElementType type, const Sizes &sizes) { return write(Space::ocm, type, sizes); }

  // A vector operand of `count` elements of `elementBytes` bytes, or of a single element that is broadcast.
  Vector vector(uint32_t count, unsigned elementBytes);
  // A lookup table of `count` elements; unlike a vector, a table is never broadcast.
  Vector table(uint32_t count, unsigned elementBytes);

  Random &random;
  const Site &site;

private:
  Stream place(Space space, ElementType type, const Sizes &sizes, const std::array<unsigned, 5> &order,
               bool repeats);
  uint64_t address(Space space, uint64_t extent, unsigned alignment);

  uint32_t slotBytes, maxElements;
  std::array<uint8_t, 16> slots;
  unsigned slotsTaken = 0;
};

uint32_t randomLayer(Random &random);
// Any finite fp32 number; zeros of both signs, subnormals and the largest numbers are not rare.
float finiteFloat(Random &random);
float positiveFloat(Random &random);
int16_t lowestOf(ElementType type);
int16_t highestOf(ElementType type);
// A random scale and zero point for the type; all zero for types that are not quantised.
Affine affineOf(Random &random, ElementType type);

// A random conversion (finish) of an fp32 result to the output type, with any activation function.
Finish anyFinish(Random &random, ElementType output);
// A random finish (the conversion of a result to the output type) from fp32 to a quantised type, without an
// activation function.
Finish quantisingFinish(Random &random, ElementType output);
// A random finish (the conversion of a result to the output type) of an instruction that computes in integers
// throughout.
Finish integerFinish(Random &random);
// A finish (the conversion of a result to the output type) that leaves quantised integers unchanged.
Finish keepingFinish(ElementType type, const Affine &affine);

Window randomWindow(Random &random);
// The size of an input axis on which the window of a convolution or pool has `outputs` positions, or about
// that number; at most `most`.
uint32_t coveredSize(Random &random, uint32_t outputs, uint32_t taps, uint32_t stride, uint32_t dilation,
                     uint32_t pad, uint32_t most);
// The bits of a random element of the type.
uint32_t elementBits(Random &random, ElementType type);

// For an instruction that computes in fp32: sets a random output tensor, and a random `finish`, which applies
// a function to the result and converts it to the type of the output.
template <class T>
void drawResult(T &instruction, Operands &operands, const Sizes &sizes) {
  const ElementType type = operands.random.pick(realTypes);
  instruction.output = operands.write(type, sizes);
  instruction.finish = anyFinish(operands.random, type);
}
template <class T>
void drawInput(T &instruction, Operands &operands, ElementType type, const Sizes &sizes) {
  instruction.input = operands.read(type, sizes);
  instruction.inputAffine = affineOf(operands.random, type);
}
// For an instruction that leaves quantised integers unchanged: sets an output tensor of the input's type, and
// a `finish` (the conversion of results to the output type) that changes nothing.
template <class T>
void drawKept(T &instruction, Operands &operands, const Sizes &sizes) {
  instruction.output = operands.write(instruction.input.type, sizes);
  instruction.finish = keepingFinish(instruction.input.type, instruction.inputAffine);
}
// For an instruction that computes exact integer sums: sets a random output tensor, and a random `finish`,
// which converts the sums to the type of the output.
template <class T>
void drawQuantisedSum(T &instruction, Operands &operands, const Sizes &sizes) {
  const ElementType type = operands.random.pick(quantisedTypes);
  instruction.output = operands.write(type, sizes);
  instruction.finish = quantisingFinish(operands.random, type);
}

} // namespace tilerig::test
