#include "tests/support/RandomOperands.h"

namespace tilerig::test {

void draw(Halt &it, Random &random, const Site &) { it.layer = randomLayer(random); }

void draw(Sync &it, Random &random, const Site &) {
  it.layer = randomLayer(random);
  it.on = static_cast<Engine>(1 + random.below(numEngines - 1));
  do {
    it.engine = pickEnum<Engine>(random);
  } while (it.engine == it.on);
  it.pending = static_cast<uint8_t>(random.below(256));
}

void draw(Signal &it, Random &random, const Site &site) {
  it.layer = randomLayer(random);
  it.engine = pickEnum<Engine>(random);
  it.tile = static_cast<uint8_t>(random.below(site.tiles));
  it.semaphore = static_cast<uint8_t>(random.below(site.machine.tile.semaphores));
  it.amount = static_cast<uint32_t>(random.ragged(UINT32_MAX));
}

void draw(Wait &it, Random &random, const Site &site) {
  it.layer = randomLayer(random);
  it.engine = pickEnum<Engine>(random);
  it.semaphore = static_cast<uint8_t>(random.below(site.machine.tile.semaphores));
  it.value = static_cast<uint32_t>(random.ragged(UINT32_MAX));
}

static uint64_t randomTiles(Random &random, const Site &site) {
  return random.next() & (site.tiles == 64 ? ~uint64_t{0} : (uint64_t{1} << site.tiles) - 1);
}

void draw(GroupBarrier &it, Random &random, const Site &site) {
  it.layer = randomLayer(random);
  it.tiles = randomTiles(random, site) | uint64_t{1} << site.tile;
}

void draw(GlobalBarrier &it, Random &random, const Site &) { it.layer = randomLayer(random); }

void draw(Delay &it, Random &random, const Site &) {
  it.layer = randomLayer(random);
  it.engine = pickEnum<Engine>(random);
  it.id = static_cast<uint16_t>(random.next());
  it.cycles = static_cast<uint32_t>(random.next());
}

void draw(Marker &it, Random &random, const Site &) {
  it.layer = randomLayer(random);
  it.engine = pickEnum<Engine>(random);
  it.kind = pickEnum<MarkerKind>(random);
  it.id = static_cast<uint32_t>(random.next());
}

} // namespace tilerig::test
