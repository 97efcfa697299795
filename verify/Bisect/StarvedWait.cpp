#include "verify/Bisect/StarvedWait.h"

#include <algorithm>
#include <vector>

namespace tilerig::verify {

namespace {

// A signal or a wait: the value that the semaphore has after it, or that it waits for.
struct Step {
  uint64_t value = 0;
  uint32_t layer = 0;
};

// All instructions of a type on one semaphore, in the order of the tiles' programs; only one engine of one tile signals a
// semaphore.
template <class T, class Select>
std::vector<Step> stepsOf(const DeviceStage &stage, const Select &select) {
  std::vector<Step> steps;
  for (uint32_t tile = 0; tile < stage.tiles.size(); ++tile)
    for (const Instruction &instruction : stage.tiles[tile])
      if (const T *typed = std::get_if<T>(&instruction))
        select(tile, *typed, steps);
  return steps;
}

} // namespace

std::optional<uint32_t> layerOfFirstStarvedWait(const Program &program, const Place &place) {
  const auto *stage = place.host ? nullptr : std::get_if<DeviceStage>(&program.stages[place.stage].work);
  const Wait *endless = stage ? std::get_if<Wait>(&stage->tiles[place.tile][place.instruction]) : nullptr;
  if (!endless)
    return {};
  const auto signals = stepsOf<Signal>(*stage, [&](uint32_t, const Signal &signal, std::vector<Step> &steps) {
    if (signal.tile == place.tile && signal.semaphore == endless->semaphore)
      steps.push_back({(steps.empty() ? 0 : steps.back().value) + signal.amount, signal.layer});
  });
  auto waits = stepsOf<Wait>(*stage, [&](uint32_t tile, const Wait &wait, std::vector<Step> &steps) {
    if (tile == place.tile && wait.semaphore == endless->semaphore)
      steps.push_back({wait.value, wait.layer});
  });
  std::ranges::stable_sort(waits, {}, &Step::value);
  for (const Step &wait : waits) {
    const auto signal = std::ranges::lower_bound(signals, wait.value, {}, &Step::value);
    if (signal == signals.end() || signal->layer > wait.layer)
      return wait.layer;
  }
  return {};
}

} // namespace tilerig::verify
