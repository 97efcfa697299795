#include "verify/Findings/MissingOrder.h"

#include "isa/Analyser/Analyser.h"
#include "isa/Assembly/Printer.h"

#include <algorithm>
#include <fmt/core.h>
#include <set>

namespace tilerig::verify {

namespace {

constexpr uint32_t mostPending = 255; // the field of a sync has 8 bits

DeviceStage &stageOf(Program &program, uint32_t stage) {
  return std::get<DeviceStage>(program.stages[stage].work);
}

const std::vector<Instruction> &codeOf(const Program &program, const Place &place) {
  return std::get<DeviceStage>(program.stages[place.stage].work).tiles[place.tile];
}

// Inserts an instruction, and moves what the metadata say about later instructions of the tile.
void insertBefore(Program &program, uint32_t stage, uint32_t tile, uint32_t index,
                  const Instruction &instruction) {
  std::vector<Instruction> &code = stageOf(program, stage).tiles[tile];
  code.insert(code.begin() + index, instruction);
  for (proto::Tensor &tensor : *program.metadata.mutable_tensors())
    for (proto::Piece &piece : *tensor.mutable_pieces())
      if (tensor.stage() == stage && !piece.ddr() && piece.tile() == tile && piece.ready_at() > index)
        piece.set_ready_at(piece.ready_at() + 1);
}

// A semaphore of the tile for which no instruction of the stage waits and that none signals.
std::optional<uint8_t> unusedSemaphore(const Program &program, uint32_t stage, uint32_t tile) {
  std::set<unsigned> used;
  const auto &tiles = std::get<DeviceStage>(program.stages[stage].work).tiles;
  for (uint32_t other = 0; other < tiles.size(); ++other)
    for (const Instruction &instruction : tiles[other]) {
      if (const auto *signal = std::get_if<Signal>(&instruction); signal && signal->tile == tile)
        used.insert(signal->semaphore);
      if (const auto *wait = std::get_if<Wait>(&instruction); wait && other == tile)
        used.insert(wait->semaphore);
    }
  for (unsigned semaphore = 0; semaphore < program.machine.tile.semaphores; ++semaphore)
    if (!used.contains(semaphore))
      return static_cast<uint8_t>(semaphore);
  return {};
}

struct Candidate {
  Program program;
  std::vector<AddedInstruction> added;

  void add(const Place &place, uint32_t before, const Instruction &instruction) {
    insertBefore(program, place.stage, place.tile, before, instruction);
    Instruction shown = instruction; // without its layer, which the place states
    std::visit([](auto &typed) { typed.layer = 0; }, shown);
    added.push_back({place.stage, place.tile, before, printInstruction(shown)});
  }
};

// On one tile: the engine of the later instruction waits for the engine of the earlier one, for as little as possible or, if
// `forAll` is set, for everything.
std::optional<Candidate> withSync(const Program &program, Place first, Place second, bool forAll) {
  if (first.instruction > second.instruction)
    std::swap(first, second);
  if (first.engine == second.engine || first.engine == Engine::sequencer)
    return {};
  const std::vector<Instruction> &code = codeOf(program, first);
  const auto between =
      std::ranges::count_if(code.begin() + first.instruction + 1, code.begin() + second.instruction,
                            [&](const Instruction &other) { return engineOf(other) == first.engine; });
  Candidate candidate{program, {}};
  candidate.add(second, second.instruction,
                Sync{.layer = second.layer,
                     .engine = second.engine,
                     .on = first.engine,
                     .pending = static_cast<uint8_t>(
                         forAll ? 0 : std::min<size_t>(static_cast<size_t>(between), mostPending))});
  return candidate;
}

// Between tiles: the first instruction's engine signals, and the second one's waits.
std::optional<Candidate> withSignal(const Program &program, const Place &first, const Place &second) {
  const std::optional<uint8_t> semaphore = unusedSemaphore(program, second.stage, second.tile);
  if (!semaphore)
    return {};
  Candidate candidate{program, {}};
  candidate.add(first, first.instruction + 1,
                Signal{.layer = first.layer,
                       .engine = first.engine,
                       .tile = static_cast<uint8_t>(second.tile),
                       .semaphore = *semaphore});
  candidate.add(second, second.instruction,
                Wait{.layer = second.layer, .engine = second.engine, .semaphore = *semaphore});
  return candidate;
}

// Whether the analyser finds fewer races, and no more problems of any kind.
bool isBetter(const Analysis &analysis, const FindingCounts &before) {
  for (size_t kind = 0; kind < numProblemKinds; ++kind) {
    const auto entry = before.find(std::string(nameOf(static_cast<ProblemKind>(kind))));
    const uint64_t known = entry == before.end() ? 0 : entry->second;
    const bool isRace = static_cast<ProblemKind>(kind) == ProblemKind::race;
    if (isRace ? analysis.counts[kind] >= known : analysis.counts[kind] > known)
      return false;
  }
  return true;
}

} // namespace

std::optional<MissingOrder> missingOrder(const Program &program, const Finding &race,
                                         const FindingCounts &counts) {
  if (race.kind != nameOf(ProblemKind::race) || race.places.size() != 2 || race.places[0].host ||
      race.places[1].host || race.places[0].stage != race.places[1].stage)
    return {};
  Place first = race.places[0], second = race.places[1];
  if (second.layer < first.layer)
    std::swap(first, second);
  std::vector<std::optional<Candidate>> candidates;
  if (first.tile == second.tile)
    for (const bool forAll : {false, true})
      candidates.push_back(withSync(program, first, second, forAll));
  else
    for (const auto &[before, after] : {std::pair{first, second}, {second, first}})
      candidates.push_back(withSignal(program, before, after));
  for (std::optional<Candidate> &candidate : candidates) {
    if (!candidate)
      continue;
    const Analysis analysis = analyse(candidate->program);
    if (isBetter(analysis, counts))
      return MissingOrder{std::move(candidate->added), analysis.proved()};
  }
  return {};
}

Json missingOrderRecord(const MissingOrder &order, const Program &program) {
  Json added = Json::array();
  for (const AddedInstruction &instruction : order.added)
    added.push_back({{"stage", program.stages[instruction.stage].name},
                     {"stage_index", instruction.stage},
                     {"tile", instruction.tile},
                     {"before", instruction.before},
                     {"instruction", instruction.text}});
  return {{"added", std::move(added)}, {"proves_program", order.isEnough}};
}

std::string missingOrderLine(const Json &record) {
  std::string text;
  for (const Json &added : record["added"])
    text += fmt::format("{}'{}' before instruction {} of tile {}", text.empty() ? "" : " and ",
                        added["instruction"].get<std::string>(), added["before"].get<uint32_t>(),
                        added["tile"].get<uint32_t>());
  return "what would order them: " + text +
         (record["proves_program"].get<bool>() ? "; the program is then proved" : "; other problems remain");
}

} // namespace tilerig::verify
