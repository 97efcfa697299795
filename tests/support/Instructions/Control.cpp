// Control instructions for tests: samples, random instructions, and twins (pairs of a legal instruction and
// one that breaks a single rule).
#include "tests/support/RandomOperands.h"
#include "tests/support/Twins.h"

namespace tilerig::test {

using samples::make, samples::stream, samples::vector, samples::affine, samples::finish;

namespace {

// --- Samples ---

void makeSample(Halt &halt) { halt = {.layer = 5}; }

void makeSample(Sync &sync) { sync = {.engine = Engine::pod, .on = Engine::dmaIn, .pending = 2}; }

void makeSample(Signal &signal) {
  signal = {.engine = Engine::dmaOut, .tile = 3, .semaphore = 15, .amount = 7};
}

void makeSample(Wait &wait) { wait = {.engine = Engine::pe, .semaphore = 15, .value = 9}; }

void makeSample(GroupBarrier &barrier) { barrier = {.tiles = 0b1011}; }

void makeSample(GlobalBarrier &barrier) { barrier = {}; }

void makeSample(Delay &delay) { delay = {.engine = Engine::pod, .id = 4, .cycles = 100}; }

void makeSample(Marker &marker) { marker = {.kind = MarkerKind::breakpoint, .id = 3}; }

// The functions draw() below fill control instructions with random legal fields.

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

uint64_t randomTiles(Random &random, const Site &site) {
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

} // namespace

void makeAny(MutableReferenceTo<Family::control> instruction) {
  std::visit([](auto *typed) { makeSample(*typed); }, instruction);
}
void drawAny(MutableReferenceTo<Family::control> instruction, Random &random, const Site &site) {
  std::visit([&](auto *typed) { draw(*typed, random, site); }, instruction);
}

void addControlTwins(Twins &twins) {
  twins
      .add(
          make<Sync>(), [](Sync &sync) { sync.engine = sync.on; }, "on",
          "an engine other than the one that waits")
      .add(
          make<Sync>(), [](Sync &sync) { sync.on = Engine::sequencer; }, "on", "expected pod, pe")
      .add(
          make<Signal>(), [](Signal &signal) { signal.tile = samples::tiles; }, "tile",
          "a tile of the program, 0..3")
      .add(
          make<Signal>(), [](Signal &signal) { signal.semaphore = 16; }, "semaphore",
          "a semaphore of the machine, 0..15")
      .add(
          make<Signal>(), [](Signal &signal) { signal.amount = 0; }, "amount", "expected 1..4294967295")
      .add(
          make<Wait>(), [](Wait &wait) { wait.semaphore = 16; }, "semaphore",
          "a semaphore of the machine, 0..15")
      .add(
          make<Wait>(), [](Wait &wait) { wait.value = 0; }, "value", "expected 1..")
      .add(
          make<GroupBarrier>(), [](GroupBarrier &barrier) { barrier.tiles |= 1 << 4; }, "tiles",
          "contains tile 4; expected only tiles that the program uses, 0..3")
      .add(
          make<GroupBarrier>(), [](GroupBarrier &barrier) { barrier.tiles |= uint64_t{1} << 63; }, "tiles",
          "contains tile 63")
      .add(
          make<GroupBarrier>(), [](GroupBarrier &barrier) { barrier.tiles = 0b1001; }, "tiles",
          "does not contain tile 1; expected the instruction's own tile")
      .add(
          make<GroupBarrier>(), [](GroupBarrier &barrier) { barrier.tiles = 0; }, "tiles",
          "does not contain tile 1; expected the instruction's own tile")
      .add(
          make<Halt>(), [](Halt &halt) { halt.layer = 1 << 24; }, "layer", "0..16777215")
      .add(
          make<Marker>(), [](Marker &marker) { marker.kind = MarkerKind(3); }, "kind", "is 3");
}

} // namespace tilerig::test
