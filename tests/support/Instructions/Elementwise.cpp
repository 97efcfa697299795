// Elementwise instructions for tests: samples, random instructions, and twins (pairs of a legal instruction
// and one that breaks a single rule).
#include "tests/support/RandomOperands.h"
#include "tests/support/Twins.h"

namespace tilerig::test {

using samples::make, samples::stream, samples::vector, samples::affine, samples::finish;

namespace {

// --- Samples ---

void makeSample(Binary &binary) {
  binary = {.aAffine = affine(),
            .bAffine = affine(),
            .finish = finish(i8),
            .a = stream(i8, {1, 2, 3, 4, 5}),
            .b = stream(i8, {1, 2, 3, 4, 5}),
            .output = stream(i8, {1, 2, 3, 4, 5})};
}

void makeSample(Select &select) {
  select = {.aAffine = affine(),
            .bAffine = affine(),
            .finish = finish(i8),
            .condition = stream(u8, {1, 2, 3, 4, 5}),
            .a = stream(i8, {1, 2, 3, 4, 5}),
            .b = stream(i8, {1, 2, 3, 4, 5}),
            .output = stream(i8, {1, 2, 3, 4, 5})};
}

void makeSample(Activate &activate) {
  activate = {.inputAffine = affine(),
              .finish = {.function = UnaryFunction::relu},
              .input = stream(i8, {1, 2, 3, 4, 5}),
              .output = stream(fp16, {1, 2, 3, 4, 5})};
}

void makeSample(Lookup &lookup) {
  lookup = {.table = vector(), .input = stream(i8, {1, 2, 3, 4, 5}), .output = stream(i8, {1, 2, 3, 4, 5})};
}

// The functions draw() below fill elementwise instructions with random legal fields.

template <class T>
void drawPair(T &instruction, Operands &operands, bool integer, const Sizes &sizes) {
  Random &random = operands.random;
  const ElementType a = integer ? i32 : random.pick(allTypes), b = integer ? i32 : random.pick(allTypes);
  instruction.a = operands.read(a, sizes);
  instruction.b = operands.read(b, sizes);
  instruction.aAffine = affineOf(random, a);
  instruction.bAffine = affineOf(random, b);
  if (integer) {
    instruction.output = operands.write(i32, sizes);
    instruction.finish = integerFinish(random);
  } else {
    drawResult(instruction, operands, sizes);
  }
}

void draw(Binary &binary, Random &random, const Site &site) {
  Operands operands(random, site);
  binary.layer = randomLayer(random);
  binary.function = pickEnum<BinaryFunction>(random);
  const bool integer = binary.function != BinaryFunction::pow && random.chance(30);
  drawPair(binary, operands, integer, operands.sizes());
}

void draw(Select &select, Random &random, const Site &site) {
  Operands operands(random, site);
  select.layer = randomLayer(random);
  const Sizes sizes = operands.sizes();
  select.condition = operands.read(u8, sizes);
  drawPair(select, operands, random.chance(30), sizes);
}

void draw(Activate &activate, Random &random, const Site &site) {
  Operands operands(random, site);
  activate.layer = randomLayer(random);
  const Sizes sizes = operands.sizes();
  drawInput(activate, operands, random.pick(allTypes), sizes);
  if (!random.chance(30)) {
    drawResult(activate, operands, sizes);
    return;
  }
  activate.output = operands.write(i32, sizes);
  if (activate.input.type == i32) {
    activate.finish = integerFinish(random);
  } else {
    activate.finish = anyFinish(random, fp32);
    activate.finish.rounding = pickEnum<RoundingMode>(random);
  }
}

void draw(Lookup &lookup, Random &random, const Site &site) {
  Operands operands(random, site);
  lookup.layer = randomLayer(random);
  const Sizes sizes = operands.sizes();
  lookup.input = operands.read(random.pick(quantisedTypes), sizes);
  lookup.output = operands.write(random.pick(allTypes), sizes);
  lookup.table = operands.table(lookup.input.type == i9 ? 512 : 256, sizeBytes(lookup.output.type));
}

} // namespace

void makeAny(MutableReferenceTo<Family::elementwise> instruction) {
  std::visit([](auto *typed) { makeSample(*typed); }, instruction);
}
void drawAny(MutableReferenceTo<Family::elementwise> instruction, Random &random, const Site &site) {
  std::visit([&](auto *typed) { draw(*typed, random, site); }, instruction);
}

void addElementwiseTwins(Twins &twins) {
  Lookup wide = make<Lookup>();
  wide.input = samples::stream(i9, {1, 2, 3, 4, 5});
  wide.output = samples::stream(fp32, {1, 2, 3, 4, 5});
  wide.table.base = 65536 - 512 * 4;
  twins
      .add(
          make<Lookup>(), [](Lookup &lookup) { lookup.table = {}; }, "table.present", "expected 1, as")
      .add(
          make<Lookup>(), [](Lookup &lookup) { lookup.table.broadcast = true; }, "table.broadcast",
          "a lookup table cannot be broadcast")
      .add(
          make<Lookup>(), [](Lookup &lookup) { lookup.table.base = 65536 - 255; }, "table.base",
          "from which 256 bytes lie inside the OCM")
      .add(
          wide, [](Lookup &lookup) { lookup.table.base += 4; }, "table.base",
          "from which 2048 bytes lie inside the OCM")
      .add(
          wide, [](Lookup &lookup) { lookup.table.base -= 2; }, "table.base", "a multiple of 4");
}

} // namespace tilerig::test
