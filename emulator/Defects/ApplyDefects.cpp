#include "emulator/Defects/ApplyDefects.h"

#include <algorithm>
#include <fmt/format.h>

namespace tilerig {

namespace {

bool isTransfer(const Instruction &instruction) {
  return std::visit(
      [](const auto &it) {
        return requires { it.destination; };
      },
      instruction);
}
bool isSignal(const Instruction &instruction) { return std::holds_alternative<Signal>(instruction); }

struct Spot {
  uint32_t stage = 0, instruction = 0;
};

// The `index`-th instruction of a tile of which `which` is true, through all stages.
template <class Which>
std::optional<Spot> findSpot(const Program &program, uint32_t tile, uint32_t index, Which which) {
  for (uint32_t stage = 0; stage < program.stages.size(); ++stage)
    if (const auto *device = std::get_if<DeviceStage>(&program.stages[stage].work))
      for (uint32_t i = 0; i < device->tiles[tile].size(); ++i)
        if (which(device->tiles[tile][i]) && index-- == 0)
          return Spot{stage, i};
  return {};
}

Instruction &instructionAt(Program &program, uint32_t tile, const Spot &spot) {
  return std::get<DeviceStage>(program.stages[spot.stage].work).tiles[tile][spot.instruction];
}

} // namespace

void misroute(const Defects &defects, Program &program) {
  for (const WrongDestination &wrong : defects.wrongDestinations) {
    const auto spot = findSpot(program, wrong.tile, wrong.transfer, isTransfer);
    if (!spot)
      continue;
    Instruction &instruction = instructionAt(program, wrong.tile, *spot);
    if (auto *store = std::get_if<Store>(&instruction)) {
      const bool comesHome = wrong.actual == wrong.tile;
      store->destination.space = comesHome ? Space::ocm : Space::remote;
      store->destination.tile = comesHome ? uint8_t{0} : static_cast<uint8_t>(wrong.actual);
    } else if (auto *multicast = std::get_if<Multicast>(&instruction)) {
      multicast->tiles &= ~(uint64_t{1} << wrong.receiver);
      multicast->tiles |= uint64_t{1} << wrong.actual;
    }
  }
}

void loseSignals(const Defects &defects, const Program &program, StageThreads &threads) {
  for (const LostSignal &lost : defects.lostSignals)
    if (const auto spot = findSpot(program, lost.tile, lost.signal, isSignal);
        spot && spot->stage == threads.stage)
      std::erase_if(threads.signals, [&](const SignalStep &it) {
        return tileOfThread(it.finish.thread) == lost.tile && it.instruction == spot->instruction;
      });
}

void delayTransfers(const Defects &defects, const Program &program, StageCosts &costs) {
  for (const DelayedTransfer &delayed : defects.delayedTransfers) {
    const auto spot = findSpot(program, delayed.tile, delayed.transfer, isTransfer);
    if (!spot || spot->stage != costs.threads.stage)
      continue;
    for (const ThreadKind kind : {ThreadKind::dmaInRead, ThreadKind::dmaOutRead}) {
      const ThreadId thread = threadOf(delayed.tile, kind);
      const auto &steps = costs.threads.stepsOf(thread);
      const auto step = std::ranges::find(steps, spot->instruction, &Step::instruction);
      if (step != steps.end())
        costs.transfers[costs.costs[thread][static_cast<size_t>(step - steps.begin())].transfer]
            .read.latencyCycles += delayed.cycles;
    }
  }
}

} // namespace tilerig
