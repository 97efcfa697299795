// DMA instructions for tests: samples, random instructions, and twins (pairs of a legal instruction and one
// that breaks a single rule).
#include "tests/support/RandomOperands.h"
#include "tests/support/Twins.h"

namespace tilerig::test {

using samples::make, samples::stream, samples::vector, samples::affine, samples::finish;

namespace {

// --- Samples ---

void makeSample(Load &load) {
  load = {.source = stream(fp16, {1, 2, 3, 4, 5}, Space::ddr), .destination = stream(fp16, {1, 2, 3, 4, 5})};
}

void makeSample(Store &store) {
  store = {.source = stream(fp16, {1, 2, 3, 4, 5}), .destination = stream(fp16, {1, 2, 3, 4, 5}, Space::ddr)};
}

void makeSample(Multicast &multicast) {
  multicast = {.tiles = 0b101,
               .source = stream(fp16, {1, 2, 3, 4, 5}, Space::ddr),
               .destination = stream(fp16, {1, 2, 3, 4, 5})};
}

void makeSample(Gather &gather) {
  gather = {.indices = stream(i32, {1, 1, 1, 1, 6}),
            .source = stream(fp16, {1, 1, 9, 2, 3}, Space::ddr),
            .destination = stream(fp16, {1, 1, 6, 2, 3})};
}

// The functions draw() below fill DMA instructions with random legal fields.

struct Conversion {
  ElementType from, to;
};
constexpr auto conversions = std::to_array<Conversion>(
    {{fp32, fp16}, {fp32, bf16}, {fp16, fp32}, {bf16, fp32}, {i8, i9}, {u8, i9}, {i9, i8}, {i9, u8}});

Conversion randomConversion(Random &random) {
  if (random.chance(50))
    return random.pick(conversions);
  const ElementType type = random.pick(allTypes);
  return {type, type};
}

Space remoteOr(Random &random, const Site &site, Space other) {
  return site.tiles > 1 && random.chance(50) ? Space::remote : other;
}

template <class T>
void drawTransfer(T &instruction, Operands &&operands, Space from, Space to) {
  Random &random = operands.random;
  instruction.layer = randomLayer(random);
  const Conversion types = randomConversion(random);
  instruction.clip = types.from == i9 && types.to != i9 && random.chance(50);
  const Sizes sizes = operands.sizes();
  instruction.source = operands.read(from, types.from, sizes);
  instruction.destination = operands.write(to, types.to, sizes);
}

void draw(Load &load, Random &random, const Site &site) {
  drawTransfer(load, Operands(random, site), remoteOr(random, site, Space::ddr), Space::ocm);
}

void draw(Store &store, Random &random, const Site &site) {
  drawTransfer(store, Operands(random, site), Space::ocm,
               remoteOr(random, site, random.pick({Space::ddr, Space::ocm})));
}

void draw(Multicast &multicast, Random &random, const Site &site) {
  drawTransfer(multicast, Operands(random, site), random.pick({Space::ddr, Space::ocm}), Space::ocm);
  multicast.tiles = random.next() & (site.tiles == 64 ? ~uint64_t{0} : (uint64_t{1} << site.tiles) - 1);
  if (multicast.tiles == 0)
    multicast.tiles = 1;
}

void draw(Gather &gather, Random &random, const Site &site) {
  Operands operands(random, site);
  gather.layer = randomLayer(random);
  const ElementType type = random.pick(allTypes);
  const auto columns = static_cast<uint32_t>(random.ragged(operands.budget()));
  const auto planes = static_cast<uint32_t>(random.ragged(operands.budget() / columns));
  const uint32_t most = operands.budget() / columns / planes;
  const auto rows = static_cast<uint32_t>(random.ragged(most)),
             picked = static_cast<uint32_t>(random.ragged(most));
  gather.indices = operands.read(i32, {1, 1, 1, 1, picked});
  gather.source = operands.read(random.pick({Space::ddr, Space::ocm}), type, {1, 1, rows, planes, columns});
  gather.destination = operands.write(type, {1, 1, picked, planes, columns});
}

// --- Twins ---

template <class T>
void addClip(Twins &twins) {
  T narrowing = make<T>(), widening = make<T>();
  narrowing.source.type = i9;
  narrowing.destination = samples::stream(u8, {1, 2, 3, 4, 5}, narrowing.destination.space);
  narrowing.clip = true;
  widening.source.type = fp16;
  twins
      .add(
          narrowing,
          [](T &instruction) {
            instruction.destination = samples::stream(i9, {1, 2, 3, 4, 5}, instruction.destination.space);
          },
          "clip", "does not convert i9")
      .add(
          widening, [](T &instruction) { instruction.clip = true; }, "clip", "expected 0");
}

} // namespace

void makeAny(MutableReferenceTo<Family::transfer> instruction) {
  std::visit([](auto *typed) { makeSample(*typed); }, instruction);
}
void drawAny(MutableReferenceTo<Family::transfer> instruction, Random &random, const Site &site) {
  std::visit([&](auto *typed) { draw(*typed, random, site); }, instruction);
}

void addDmaTwins(Twins &twins) {
  addClip<Load>(twins);
  addClip<Store>(twins);
  addClip<Multicast>(twins);
  twins
      .add(
          make<Multicast>(), [](Multicast &multicast) { multicast.tiles = 0; }, "tiles", "at least one")
      .add(
          make<Multicast>(), [](Multicast &multicast) { multicast.tiles = 0b10001; }, "tiles",
          "contains tile 4")
      .add(
          make<Gather>(), [](Gather &gather) { gather.indices.type = fp32; }, "indices.type", "expected i32")
      .add(
          make<Gather>(), [](Gather &gather) { gather.indices.dims[4].size = 5; }, "destination.dims[2].size",
          "5, the value of indices.dims[4].size")
      .add(
          make<Load>(), [](Load &load) { load.source.type = bf16; }, "destination.type",
          "where source is bf16");
}

} // namespace tilerig::test
