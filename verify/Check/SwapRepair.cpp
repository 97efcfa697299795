#include "verify/Check/SwapRepair.h"

#include "isa/Analyser/Analyser.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace tilerig::verify {

namespace {

constexpr size_t mostSwaps = 8;

struct Spot {
  uint32_t stage = 0, tile = 0, instruction = 0;
  auto operator<=>(const Spot &) const = default;
};

bool onlySynchronises(const Instruction &instruction) {
  return std::visit([]<class T>(const T &) { return T::opcode < Opcode::load; }, instruction);
}

std::vector<Instruction> &codeAt(Program &program, const Spot &spot) {
  return std::get<DeviceStage>(program.stages[spot.stage].work).tiles[spot.tile];
}

// The instructions named by the findings, the most frequently named first.
std::vector<Spot> spotsOf(const std::vector<Finding> &findings) {
  std::map<Spot, size_t> counts;
  for (const Finding &finding : findings)
    for (const Place &place : finding.places)
      if (!place.host)
        ++counts[{place.stage, place.tile, place.instruction}];
  std::vector<Spot> spots;
  for (const auto &[spot, count] : counts)
    spots.push_back(spot);
  std::ranges::stable_sort(spots, std::greater<>(), [&](const Spot &it) { return counts.at(it); });
  return spots;
}

// The nearest instruction of the same engine that is neither a wait nor a signal: after `instruction` if
// `step` is 1, before it if `step` is -1.
std::optional<uint32_t> swapPartnerOf(const std::vector<Instruction> &code, uint32_t instruction, int step) {
  for (auto i = static_cast<ptrdiff_t>(instruction) + step; i >= 0 && i < std::ssize(code); i += step)
    if (const Instruction &it = code[static_cast<size_t>(i)];
        !onlySynchronises(it) && engineOf(it) == engineOf(code[instruction]))
      return static_cast<uint32_t>(i);
  return {};
}

} // namespace

bool isMendedBySwap(const Program &program, const std::vector<Finding> &findings) {
  Program mended = program;
  std::set<std::pair<Spot, Spot>> tried;
  for (const Spot &spot : spotsOf(findings)) {
    std::vector<Instruction> &code = codeAt(mended, spot);
    for (const int step : {1, -1}) {
      const auto neighbour = onlySynchronises(code[spot.instruction])
                                 ? std::nullopt
                                 : swapPartnerOf(code, spot.instruction, step);
      if (!neighbour)
        continue;
      const Spot other = {spot.stage, spot.tile, *neighbour};
      if (!tried.insert(std::minmax(spot, other)).second)
        continue;
      if (tried.size() > mostSwaps)
        return false;
      std::swap(code[spot.instruction], code[*neighbour]);
      if (analyse(mended).proved())
        return true;
      std::swap(code[spot.instruction], code[*neighbour]);
    }
  }
  return false;
}

} // namespace tilerig::verify
