#include "emulator/Defects/ApplyDefects.h"

#include "emulator/Defects/FindInstruction.h"

#include <algorithm>

namespace tilerig::emulator {

void misroute(const Defects &defects, Program &program) {
  for (const WrongDestination &wrong : defects.wrongDestinations) {
    const auto position = findInstruction(program, wrong.tile, wrong.transfer, isTransfer);
    if (!position)
      continue;
    auto &code = std::get<DeviceStage>(program.stages[position->stage].work).tiles[wrong.tile];
    Instruction &instruction = code[position->instruction];
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
    if (const auto position = findInstruction(program, lost.tile, lost.signal, isSignal);
        position && position->stage == threads.stage)
      std::erase_if(threads.signals, [&](const SignalStep &signal) {
        return tileOfThread(signal.finish.thread) == lost.tile && signal.instruction == position->instruction;
      });
}

void delayTransfers(const Defects &defects, const Program &program, StageCosts &costs) {
  for (const DelayedTransfer &delayed : defects.delayedTransfers) {
    const auto position = findInstruction(program, delayed.tile, delayed.transfer, isTransfer);
    if (!position || position->stage != costs.threads.stage)
      continue;
    for (const ThreadKind kind : {ThreadKind::dmaInRead, ThreadKind::dmaOutRead}) {
      const ThreadId thread = threadOf(delayed.tile, kind);
      const auto &steps = costs.threads.stepsOf(thread);
      const auto step = std::ranges::find(steps, position->instruction, &Step::instruction);
      if (step != steps.end())
        costs.transfers[costs.costs[thread][static_cast<size_t>(step - steps.begin())].transfer]
            .read.latencyCycles += delayed.cycles;
    }
  }
}

} // namespace tilerig::emulator
