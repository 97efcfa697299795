#include "verify/Findings/SwapRepair.h"

#include "isa/Analyser/Analyser.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace tilerig::verify {

namespace {

constexpr size_t mostSwaps = 8;

struct InstructionPosition {
  uint32_t stage = 0, tile = 0, instruction = 0;
  auto operator<=>(const InstructionPosition &) const = default;
};

std::vector<Instruction> &codeAt(Program &program, const InstructionPosition &position) {
  return std::get<DeviceStage>(program.stages[position.stage].work).tiles[position.tile];
}

// The instructions named by the analyser's findings, the most frequently named first.
std::vector<InstructionPosition> positionsOf(const std::vector<Finding> &findings) {
  std::map<InstructionPosition, size_t> counts;
  for (const Finding &finding : findings)
    for (const Place &place : finding.places)
      if (!place.host)
        ++counts[{place.stage, place.tile, place.instruction}];
  std::vector<InstructionPosition> positions;
  for (const auto &[position, count] : counts)
    positions.push_back(position);
  std::ranges::stable_sort(positions, std::greater<>(),
                           [&](const InstructionPosition &position) { return counts.at(position); });
  return positions;
}

// The nearest instruction of the same engine that is neither a wait nor a signal: the next one if `step` is
// 1, the previous one if `step` is -1.
std::optional<uint32_t> swapPartnerOf(const std::vector<Instruction> &code, uint32_t instruction, int step) {
  for (auto i = static_cast<ptrdiff_t>(instruction) + step; i >= 0 && i < std::ssize(code); i += step)
    if (const Instruction &candidate = code[static_cast<size_t>(i)];
        !isControl(candidate) && engineOf(candidate) == engineOf(code[instruction]))
      return static_cast<uint32_t>(i);
  return {};
}

} // namespace

bool isMendedBySwap(const Program &program, const std::vector<Finding> &findings) {
  Program mended = program;
  std::set<std::pair<InstructionPosition, InstructionPosition>> tried;
  for (const InstructionPosition &position : positionsOf(findings)) {
    std::vector<Instruction> &code = codeAt(mended, position);
    for (const int step : {1, -1}) {
      const auto neighbour = isControl(code[position.instruction])
                                 ? std::nullopt
                                 : swapPartnerOf(code, position.instruction, step);
      if (!neighbour)
        continue;
      const InstructionPosition other = {position.stage, position.tile, *neighbour};
      if (!tried.insert(std::minmax(position, other)).second)
        continue;
      if (tried.size() > mostSwaps)
        return false;
      std::swap(code[position.instruction], code[*neighbour]);
      if (analyse(mended).proved())
        return true;
      std::swap(code[position.instruction], code[*neighbour]);
    }
  }
  return false;
}

} // namespace tilerig::verify
