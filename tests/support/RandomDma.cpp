#include "tests/support/RandomOperands.h"

namespace tilerig::test {
namespace {

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

} // namespace

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

} // namespace tilerig::test
