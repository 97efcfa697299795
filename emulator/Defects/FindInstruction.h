// Finds the n-th transfer or signal of a tile in a program.
#pragma once

#include "isa/Program/Program.h"

namespace tilerig::emulator {

struct InstructionPosition {
  uint32_t stage = 0, instruction = 0;
};

inline bool isTransfer(const Instruction &instruction) {
  return std::visit(
      [](const auto &typed) {
        return requires { typed.destination; };
      },
      instruction);
}
inline bool isSignal(const Instruction &instruction) { return std::holds_alternative<Signal>(instruction); }

// Finds an instruction of a tile by its number among the instructions that satisfy the condition `which`,
// counted from 0 across all stages in order. Returns nullopt if there are not so many.
template <class Which>
std::optional<InstructionPosition> findInstruction(const Program &program, uint32_t tile, uint32_t index,
                                                   Which which) {
  for (uint32_t stage = 0; stage < program.stages.size(); ++stage)
    if (const auto *device = std::get_if<DeviceStage>(&program.stages[stage].work))
      for (uint32_t i = 0; i < device->tiles[tile].size(); ++i)
        if (which(device->tiles[tile][i]) && index-- == 0)
          return InstructionPosition{stage, i};
  return {};
}

inline const Instruction &instructionAt(const Program &program, uint32_t tile,
                                        const InstructionPosition &position) {
  return std::get<DeviceStage>(program.stages[position.stage].work).tiles[tile][position.instruction];
}

} // namespace tilerig::emulator
