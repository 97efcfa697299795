#include "verify/Check/Conflicts.h"

#include "isa/Instructions/Streams.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace tilerig::verify {

namespace {

using Code = std::vector<Instruction>;
using Thread = std::tuple<uint32_t, uint32_t, Engine>; // stage, tile and engine that execute an instruction

Thread threadOf(const Place &place) { return {place.stage, place.tile, place.engine}; }

const Code *codeOf(const Program &program, const Place &place) {
  const auto *device = std::get_if<DeviceStage>(&program.stages[place.stage].work);
  return device && !place.host ? &device->tiles[place.tile] : nullptr;
}

bool followsControl(const Program &program, const Place &place) {
  const Code *code = codeOf(program, place);
  return code && place.instruction > 0 && isControl((*code)[place.instruction - 1]);
}

// The nearest instruction of the same engine that is neither a wait nor a signal: the next one if `step` is
// 1, the previous one if `step` is -1.
std::optional<uint32_t> neighbourOf(const Code &code, uint32_t instruction, int step) {
  for (auto i = static_cast<ptrdiff_t>(instruction) + step; i >= 0 && i < std::ssize(code); i += step)
    if (const Instruction &neighbour = code[static_cast<size_t>(i)];
        !isControl(neighbour) && engineOf(neighbour) == engineOf(code[instruction]))
      return static_cast<uint32_t>(i);
  return {};
}

// The first address of the memory stream to which an instruction writes; empty if the instruction writes
// nothing.
std::optional<uint64_t> writtenBase(const Instruction &instruction) {
  return std::visit(
      [](const auto &typed) -> std::optional<uint64_t> {
        if constexpr (requires { typed.output.base; })
          return typed.output.base;
        else if constexpr (requires { typed.destination.base; })
          return typed.destination.base;
        else
          return {};
      },
      instruction);
}

// Whether an instruction seems misplaced among the instructions of its engine: the one before it belongs to a
// later layer, the one after it belongs to an earlier layer, or its write address does not lie between the
// write addresses of these two.
bool isOutOfOrder(const Code &code, uint32_t instruction) {
  const auto before = neighbourOf(code, instruction, -1), after = neighbourOf(code, instruction, 1);
  const uint32_t layer = layerOf(code[instruction]);
  if ((before && layerOf(code[*before]) > layer) || (after && layerOf(code[*after]) < layer))
    return true;
  if (!before || !after || code[*before].index() != code[instruction].index() ||
      code[*after].index() != code[instruction].index())
    return false;
  const auto first = writtenBase(code[*before]), own = writtenBase(code[instruction]),
             last = writtenBase(code[*after]);
  return first && own && last && ((*first < *own) != (*own < *last));
}

bool isWrite(const Place &place) { return isResult(place.operand); }

double shareOf(size_t count, size_t all) {
  return all > 0 ? static_cast<double>(count) / static_cast<double>(all) : 0;
}

// Statistics of the conflicts (unordered accesses to the same bytes) that the analyser lists in its result.
class Conflicts {
public:
  Conflicts(const Program &program, const Analysis &analysis) : program(program) {
    for (const Problem &problem : analysis.problems)
      if (problem.kind == ProblemKind::race && problem.places.size() == 2)
        add(problem.places[0], problem.places[1]);
  }

  void describe(Order &order) const {
    order.withinTile = shareOf(withinTile, looked);
    order.besideControl = shareOf(besideControl, looked);
    order.instructions = shareOf(instructions.size(), 2 * looked);
    order.nearest = nearest;
    describeHub(order);
  }

private:
  void add(const Place &first, const Place &second) {
    ++looked;
    for (const Place *place : {&first, &second}) {
      instructions.emplace(threadOf(*place), place->instruction);
      if (!place->host)
        byThread[threadOf(*place)].push_back(*place);
    }
    besideControl += followsControl(program, first) || followsControl(program, second);
    if (first.host || second.host || first.stage != second.stage || first.tile != second.tile)
      return;
    ++withinTile;
    const auto [early, late] = std::minmax(first.instruction, second.instruction);
    nearest = std::min<uint64_t>(nearest.value_or(UINT64_MAX), late - early);
  }

  // Describes the hub: the engine of one tile whose instructions take part in conflicts most often. If
  // several engines do so equally often, the first one counts.
  void describeHub(Order &order) const {
    const std::vector<Place> *hub = nullptr;
    for (const auto &[thread, places] : byThread)
      if (!hub || places.size() > hub->size())
        hub = &places;
    if (!hub)
      return;
    const Code &code = *codeOf(program, hub->front());
    std::set<uint32_t> own;
    size_t writes = 0;
    for (const Place &place : *hub) {
      own.insert(place.instruction);
      writes += isWrite(place);
    }
    size_t adjacent = 0, outOfOrder = 0;
    for (const uint32_t instruction : own) {
      const auto before = neighbourOf(code, instruction, -1), after = neighbourOf(code, instruction, 1);
      adjacent += (before && own.contains(*before)) || (after && own.contains(*after));
      outOfOrder += isOutOfOrder(code, instruction);
    }
    constexpr size_t most = 8;
    order.ofHub = shareOf(hub->size(), looked);
    order.hubInstructions = shareOf(std::min(own.size(), most), most);
    order.hubAdjacent = shareOf(adjacent, own.size());
    order.hubOutOfOrder = shareOf(outOfOrder, own.size());
    order.hubWrites = shareOf(writes, hub->size());
  }

  const Program &program;
  size_t looked = 0, withinTile = 0, besideControl = 0;
  std::set<std::pair<Thread, uint32_t>> instructions;
  std::map<Thread, std::vector<Place>> byThread;
  std::optional<uint64_t> nearest;
};

} // namespace

Order orderOf(const Program &program, const Analysis &analysis) {
  Order order;
  for (size_t kind = 0; kind < numProblemKinds; ++kind) {
    if (!analysis.counts[kind])
      continue;
    switch (static_cast<ProblemKind>(kind)) {
    case ProblemKind::race:
      order.unordered = true;
      break;
    case ProblemKind::uninitialisedRead:
    case ProblemKind::outputNotWritten:
      order.uninitialised = true;
      break;
    case ProblemKind::semaphoreOverflow:
    case ProblemKind::semaphoreLeftOver:
      order.other = order.leftOver = true;
      break;
    case ProblemKind::waitNeverSatisfied:
    case ProblemKind::barrierMismatch:
    case ProblemKind::deadlock:
      order.other = order.stuck = true;
      break;
    default:
      order.other = true;
    }
  }
  order.conflicts = analysis.count(ProblemKind::race);
  order.unwrittenReads = analysis.count(ProblemKind::uninitialisedRead);
  Conflicts(program, analysis).describe(order);
  return order;
}

} // namespace tilerig::verify
