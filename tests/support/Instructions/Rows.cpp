// Reductions and normalisations for tests: samples, random instructions, and twins (pairs of a legal
// instruction and one that breaks a single rule).
#include "tests/support/RandomOperands.h"
#include "tests/support/Twins.h"

namespace tilerig::test {

using samples::make, samples::stream, samples::vector, samples::affine, samples::finish;

namespace {

// --- Samples ---

void makeSample(Reduce &reduce) {
  reduce = {.axes = 0b01010,
            .inputAffine = affine(),
            .finish = finish(i8),
            .input = stream(i8, {1, 2, 3, 4, 5}),
            .output = stream(i8, {1, 1, 3, 1, 5})};
}

void makeSample(Softmax &softmax) {
  softmax = {
      .inputAffine = affine(), .input = stream(i8, {1, 2, 3, 4, 5}), .output = stream(fp32, {1, 2, 3, 4, 5})};
}

void makeSample(Normalize &normalize) {
  normalize = {.innerDims = 2,
               .epsilon = 1e-5f,
               .input = stream(fp16, {1, 2, 3, 4, 5}),
               .gain = stream(fp32, {1, 2, 3, 4, 5}),
               .output = stream(fp16, {1, 2, 3, 4, 5})};
}

// The functions draw() below fill reductions and normalisations with random legal fields.

void draw(Reduce &reduce, Random &random, const Site &site) {
  using enum ReduceFunction;
  Operands operands(random, site);
  reduce.layer = randomLayer(random);
  reduce.function = pickEnum<ReduceFunction>(random);
  const bool index = reduce.function == argMax || reduce.function == argMin;
  reduce.axes = static_cast<uint8_t>(index ? 1 << random.below(5) : 1 + random.below(31));
  reduce.lastIndex = index && random.chance(50);
  Sizes sizes = operands.sizes();
  drawInput(reduce, operands, random.pick(allTypes), sizes);
  for (unsigned d = 0; d < 5; ++d)
    if (reduce.axes >> d & 1)
      sizes[d] = 1;
  const bool integer = reduce.input.type == i32 && reduce.function != mean && random.chance(50);
  if (index || integer) {
    reduce.output = operands.write(i32, sizes);
    reduce.finish = index ? Finish() : integerFinish(random);
  } else if (isQuantised(reduce.input.type) && (reduce.function == max || reduce.function == min)) {
    drawKept(reduce, operands, sizes);
  } else if (isQuantised(reduce.input.type) && (reduce.function == sum || reduce.function == mean)) {
    drawQuantisedSum(reduce, operands, sizes);
  } else {
    drawResult(reduce, operands, sizes);
  }
}

void draw(Softmax &softmax, Random &random, const Site &site) {
  Operands operands(random, site);
  softmax.layer = randomLayer(random);
  softmax.logarithm = random.chance(50);
  const Sizes sizes = operands.sizes();
  drawInput(softmax, operands, random.pick(realTypes), sizes);
  drawResult(softmax, operands, sizes);
}

void draw(Normalize &normalize, Random &random, const Site &site) {
  Operands operands(random, site);
  normalize.layer = randomLayer(random);
  normalize.mode = pickEnum<NormalizeMode>(random);
  normalize.innerDims = static_cast<uint8_t>(1 + random.below(5));
  normalize.epsilon = random.chance(20) ? 0 : positiveFloat(random);
  const Sizes sizes = operands.sizes();
  drawInput(normalize, operands, random.pick(realTypes), sizes);
  if (random.chance(60))
    normalize.gain = operands.read(random.pick(floatTypes), sizes);
  if (random.chance(60))
    normalize.shift = operands.read(random.pick(floatTypes), sizes);
  drawResult(normalize, operands, sizes);
}

} // namespace

void makeAny(MutableReferenceTo<Family::reduction> instruction) {
  std::visit([](auto *typed) { makeSample(*typed); }, instruction);
}
void makeAny(MutableReferenceTo<Family::normalisation> instruction) {
  std::visit([](auto *typed) { makeSample(*typed); }, instruction);
}
void drawAny(MutableReferenceTo<Family::reduction> instruction, Random &random, const Site &site) {
  std::visit([&](auto *typed) { draw(*typed, random, site); }, instruction);
}
void drawAny(MutableReferenceTo<Family::normalisation> instruction, Random &random, const Site &site) {
  std::visit([&](auto *typed) { draw(*typed, random, site); }, instruction);
}

void addRowTwins(Twins &twins) {
  Reduce index = make<Reduce>();
  index.function = ReduceFunction::argMin;
  index.axes = 0b01000;
  index.lastIndex = true;
  index.output = samples::stream(i32, {1, 2, 3, 1, 5});
  index.finish = {};
  twins
      .add(
          make<Reduce>(), [](Reduce &reduce) { reduce.axes = 0b01000; }, "output.dims[1].size",
          "2, the input's size in this dimension, which is not reduced")
      .add(
          make<Reduce>(), [](Reduce &reduce) { reduce.axes = 0b01110; }, "output.dims[2].size",
          "1, the output's size in a dimension that is reduced")
      .add(
          make<Reduce>(), [](Reduce &reduce) { reduce.axes = 0; }, "axes", "expected 1..31")
      .add(
          make<Reduce>(), [](Reduce &reduce) { reduce.lastIndex = true; }, "last_index",
          "does not return an index")
      .add(
          index, [](Reduce &reduce) { reduce.axes = 0b01001; }, "axes", "contains several dimensions")
      .add(
          index, [](Reduce &reduce) { reduce.finish.rounding = RoundingMode::down; }, "finish.rounding",
          "expected half_even")
      .add(
          index, [](Reduce &reduce) { reduce.finish.function = UnaryFunction::neg; }, "finish.function",
          "identity");

  // A sum reduction of 2^22 elements is legal; one of one more row of elements is not.
  Reduce repeated = make<Reduce>();
  repeated.input.dims = {{{1, 0}, {2048, 0}, {1, 0}, {2048, 0}, {1, 0}}};
  repeated.output.dims.fill({1, 0});
  twins.add(
      repeated, [](Reduce &reduce) { reduce.input.dims[3].size = 2049; }, "axes",
      "the instruction makes integer sums of 4196352 terms");

  twins
      .add(
          make<Normalize>(), [](Normalize &normalize) { normalize.epsilon = nan; }, "epsilon", "finite")
      .add(
          make<Normalize>(), [](Normalize &normalize) { normalize.epsilon = -1e-9f; }, "epsilon",
          "at least 0")
      .add(
          make<Normalize>(), [](Normalize &normalize) { normalize.innerDims = 6; }, "inner_dims",
          "expected 1..5")
      .add(
          make<Normalize>(), [](Normalize &normalize) { normalize.finish.wrap = true; }, "finish.wrap",
          "expected 0");
}

} // namespace tilerig::test
