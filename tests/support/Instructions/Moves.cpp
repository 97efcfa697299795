// Instructions of the PE (vector engine) that move elements or write constants, for tests: samples, random
// instructions, and twins (pairs of a legal instruction and one that breaks a single rule).
#include "tests/support/RandomOperands.h"
#include "tests/support/Twins.h"

namespace tilerig::test {

using samples::make, samples::stream, samples::vector, samples::affine, samples::finish;

namespace {

// --- Samples ---

void makeSample(Copy &copy) {
  copy = {.input = stream(fp16, {1, 2, 3, 4, 5}), .output = stream(fp16, {1, 2, 3, 4, 5})};
}

void makeSample(Flatten &flatten) {
  flatten = {.padValue = 0xFF,
             .window = {.strideH = 2, .padTop = 1},
             .input = stream(i8, {1, 1, 6, 7, 5}),
             .output = stream(i8, {3, 6, 3, 2, 5})};
}

void makeSample(Fill &fill) { fill = {.value = 0x80, .output = stream(i8, {1, 2, 3, 4, 5})}; }

// The functions draw() below fill instructions that move elements or write constants with random legal
// fields.

void draw(Copy &copy, Random &random, const Site &site) {
  Operands operands(random, site);
  copy.layer = randomLayer(random);
  const ElementType type = random.pick(allTypes);
  const Sizes sizes = operands.sizes();
  copy.input = operands.read(type, sizes);
  copy.output = operands.write(type, sizes);
}

void draw(Flatten &flatten, Random &random, const Site &site) {
  Operands operands(random, site);
  flatten.layer = randomLayer(random);
  const Window &w = flatten.window = randomWindow(random);
  const ElementType type = random.pick(allTypes);
  flatten.padValue = elementBits(random, type);
  const Sizes output = operands.sizes();
  const uint32_t channels = output[4], positions = operands.budget() / channels;
  const uint32_t width =
      coveredSize(random, output[1], output[3], w.strideW, w.dilationW, w.padLeft, positions);
  const uint32_t height =
      coveredSize(random, output[0], output[2], w.strideH, w.dilationH, w.padTop, positions / width);
  flatten.input = operands.read(type, {1, 1, height, width, channels});
  flatten.output = operands.write(type, output);
}

void draw(Fill &fill, Random &random, const Site &site) {
  Operands operands(random, site);
  fill.layer = randomLayer(random);
  const ElementType type = random.pick(allTypes);
  fill.value = elementBits(random, type);
  fill.output = operands.write(type, operands.sizes());
}

} // namespace

void makeAny(MutableReferenceTo<Family::move> instruction) {
  std::visit([](auto *typed) { makeSample(*typed); }, instruction);
}
void drawAny(MutableReferenceTo<Family::move> instruction, Random &random, const Site &site) {
  std::visit([&](auto *typed) { draw(*typed, random, site); }, instruction);
}

void addMoveTwins(Twins &twins) {
  twins
      .add(
          make<Fill>(), [](Fill &fill) { fill.value = 0x180; }, "value", "the 8 bits of i8")
      .add(
          make<Flatten>(), [](Flatten &flatten) { flatten.padValue = 0x100; }, "pad_value",
          "the 8 bits of i8");
  // A Fill of 9-bit integers (i9) states its value in 16 bits, which must be sign-extended.
  Fill nine = make<Fill>();
  nine.output = samples::stream(i9, {1, 2, 3, 4, 5});
  nine.value = 0xFF00;
  twins
      .add(
          nine, [](Fill &fill) { fill.value = 0xFEFF; }, "value", "an i9, an integer from -256 to 255")
      .add(
          nine, [](Fill &fill) { fill.value = 0x0100; }, "value", "an i9, an integer from -256 to 255")
      .add(
          nine, [](Fill &fill) { fill.value = 0xFFFFFF00; }, "value", "16 bits");

  Flatten flat = make<Flatten>();
  flat.window.dilationH = 32768, flat.window.padTop = 0, flat.window.strideH = 2;
  twins.add(
      flat, [](Flatten &flatten) { flatten.window.strideH = 3; }, "output.dims[0].size",
      "more than 65535 positions beyond the input, which has size 6");
  flat = make<Flatten>();
  flat.window.dilationW = 65535, flat.window.padLeft = 0;
  twins.add(
      flat, [](Flatten &flatten) { flatten.window.strideW = 2; }, "output.dims[1].size",
      "more than 65535 positions beyond the input, which has size 7");
}

} // namespace tilerig::test
