#include "tests/support/RandomOperands.h"

namespace tilerig::test {

void draw(Halt &halt, Random &random, const Site &) { halt.layer = randomLayer(random); }

void draw(Sync &sync, Random &random, const Site &) {
  sync.layer = randomLayer(random);
  sync.on = static_cast<Engine>(1 + random.below(numEngines - 1));
  do {
    sync.engine = pickEnum<Engine>(random);
  } while (sync.engine == sync.on);
  sync.pending = static_cast<uint8_t>(random.below(256));
}

void draw(Signal &signal, Random &random, const Site &site) {
  signal.layer = randomLayer(random);
  signal.engine = pickEnum<Engine>(random);
  signal.tile = static_cast<uint8_t>(random.below(site.tiles));
  signal.semaphore = static_cast<uint8_t>(random.below(site.machine.tile.semaphores));
  signal.amount = static_cast<uint32_t>(random.ragged(UINT32_MAX));
}

void draw(Wait &wait, Random &random, const Site &site) {
  wait.layer = randomLayer(random);
  wait.engine = pickEnum<Engine>(random);
  wait.semaphore = static_cast<uint8_t>(random.below(site.machine.tile.semaphores));
  wait.value = static_cast<uint32_t>(random.ragged(UINT32_MAX));
}

static uint64_t randomTiles(Random &random, const Site &site) {
  return random.next() & (site.tiles == 64 ? ~uint64_t{0} : (uint64_t{1} << site.tiles) - 1);
}

void draw(GroupBarrier &barrier, Random &random, const Site &site) {
  barrier.layer = randomLayer(random);
  barrier.tiles = randomTiles(random, site) | uint64_t{1} << site.tile;
}

void draw(GlobalBarrier &barrier, Random &random, const Site &) { barrier.layer = randomLayer(random); }

void draw(Delay &delay, Random &random, const Site &) {
  delay.layer = randomLayer(random);
  delay.engine = pickEnum<Engine>(random);
  delay.id = static_cast<uint16_t>(random.next());
  delay.cycles = static_cast<uint32_t>(random.next());
}

void draw(Marker &marker, Random &random, const Site &) {
  marker.layer = randomLayer(random);
  marker.engine = pickEnum<Engine>(random);
  marker.kind = pickEnum<MarkerKind>(random);
  marker.id = static_cast<uint32_t>(random.next());
}

} // namespace tilerig::test
