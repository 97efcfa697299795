#include "isa/Timing/Latency.h"

#include "isa/Timing/Dma.h"
#include "isa/Timing/Pe.h"
#include "isa/Timing/Pod.h"

namespace tilerig {

uint64_t signalCycles(const Machine &machine, unsigned fromTile, unsigned toTile) {
  return machine.sync.semaphoreCycles +
         uint64_t{hopsBetween(machine.network, fromTile, toTile)} * machine.network.hopCycles;
}

uint64_t groupBarrierCycles(const Machine &machine, TileSet group) {
  return machine.sync.groupBarrierCycles +
         uint64_t{barrierDepth(machine.network, group)} * machine.network.hopCycles;
}

// The times of control instructions; those of all others are defined in Dma.cpp, Pod.cpp and Pe.cpp. If an
// instruction has no overload of cyclesOf, these files do not compile.
static uint64_t cyclesOf(const Halt &, const Machine &, unsigned) { return 0; }
static uint64_t cyclesOf(const Sync &, const Machine &machine, unsigned) { return machine.sync.localCycles; }
static uint64_t cyclesOf(const Signal &signal, const Machine &machine, unsigned tile) {
  return signalCycles(machine, tile, signal.tile);
}
static uint64_t cyclesOf(const Wait &, const Machine &, unsigned) { return 0; }
static uint64_t cyclesOf(const GroupBarrier &barrier, const Machine &machine, unsigned) {
  return groupBarrierCycles(machine, barrier.tiles);
}
static uint64_t cyclesOf(const GlobalBarrier &, const Machine &machine, unsigned) {
  return machine.sync.globalBarrierCycles;
}
static uint64_t cyclesOf(const Delay &delay, const Machine &, unsigned) { return delay.cycles; }
static uint64_t cyclesOf(const Marker &, const Machine &, unsigned) { return 0; }
template <OneOf<DmaInstructions> T>
static uint64_t cyclesOf(const T &instruction, const Machine &machine, unsigned tile) {
  return transferOf(instruction, machine, tile).cycles();
}
template <ComputeInstruction T>
static uint64_t cyclesOf(const T &instruction, const Machine &machine, unsigned) {
  return timeOf(instruction, machine).cycles();
}

uint64_t latencyCycles(const Instruction &instruction, const Machine &machine, unsigned tile) {
  return std::visit([&](const auto &typed) { return cyclesOf(typed, machine, tile); }, instruction);
}

} // namespace tilerig
