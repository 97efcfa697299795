#include "tests/unit/Schedule/WithoutOne.h"

#include <algorithm>

namespace tilerig::test {

std::vector<size_t> synchronisationsOf(const std::vector<Instruction> &code) {
  std::vector<size_t> places;
  for (size_t i = 0; i < code.size(); ++i)
    if (std::holds_alternative<Sync>(code[i]) || std::holds_alternative<Wait>(code[i]) ||
        std::holds_alternative<GroupBarrier>(code[i]) || std::holds_alternative<GlobalBarrier>(code[i]))
      places.push_back(i);
  return places;
}

namespace {

// Removes the instruction at `index`. A sync states how many of an engine's latest instructions may be
// unfinished; if the removed one is among them, this number is reduced by one.
void erase(std::vector<Instruction> &code, size_t index) {
  const Engine engine = engineOf(code[index]);
  unsigned since = 0; // number of instructions of the engine after the removed one
  for (size_t i = index + 1; i < code.size(); ++i) {
    auto *sync = std::get_if<Sync>(&code[i]);
    if (sync && sync->on == engine && since < sync->pending)
      --sync->pending;
    since += engineOf(code[i]) == engine;
  }
  code.erase(code.begin() + static_cast<std::ptrdiff_t>(index));
}

void eraseSignal(DeviceStage &stage, unsigned tile, uint8_t semaphore, uint32_t value) {
  for (auto &code : stage.tiles)
    for (size_t i = 0, sum = 0; i < code.size(); ++i)
      if (const auto *signal = std::get_if<Signal>(&code[i]);
          signal && signal->tile == tile && signal->semaphore == semaphore && ++sum == value) {
        erase(code, i);
        break;
      }
  for (Instruction &instruction : stage.tiles[tile])
    if (auto *wait = std::get_if<Wait>(&instruction);
        wait && wait->semaphore == semaphore && wait->value > value)
      --wait->value;
}

} // namespace

DeviceStage withoutOne(DeviceStage stage, unsigned tile, size_t index) {
  const Instruction lost = stage.tiles[tile][index];
  if (const auto *wait = std::get_if<Wait>(&lost)) {
    erase(stage.tiles[tile], index);
    const bool isShared = std::ranges::any_of(stage.tiles[tile], [&](const Instruction &instruction) {
      const auto *other = std::get_if<Wait>(&instruction);
      return other && other->semaphore == wait->semaphore && other->value == wait->value;
    });
    if (!isShared)
      eraseSignal(stage, tile, wait->semaphore, wait->value);
    return stage;
  }
  const auto like = [&](const Instruction &instruction) {
    if (const auto *group = std::get_if<GroupBarrier>(&lost)) {
      const auto *other = std::get_if<GroupBarrier>(&instruction);
      return other && other->tiles == group->tiles;
    }
    return std::holds_alternative<GlobalBarrier>(lost) && std::holds_alternative<GlobalBarrier>(instruction);
  };
  if (!like(lost)) {
    erase(stage.tiles[tile], index);
    return stage;
  }
  const auto place = stage.tiles[tile].begin() + static_cast<std::ptrdiff_t>(index);
  const auto before = std::count_if(stage.tiles[tile].begin(), place, like);
  for (auto &code : stage.tiles) {
    std::ptrdiff_t seen = 0;
    for (size_t i = 0; i < code.size(); ++i)
      if (like(code[i]) && seen++ == before) {
        erase(code, i);
        break;
      }
  }
  return stage;
}

} // namespace tilerig::test
