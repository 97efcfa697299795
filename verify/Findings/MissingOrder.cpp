#include "verify/Findings/MissingOrder.h"

#include "isa/Analyser/Analyser.h"
#include "isa/Assembly/Printer.h"

#include <algorithm>
#include <fmt/core.h>
#include <functional>
#include <map>
#include <ranges>
#include <set>

namespace tilerig::verify {

namespace {

constexpr uint32_t mostPending = 255; // the field of a sync has 8 bits

const std::vector<Instruction> &codeOf(const Program &program, const Place &place) {
  return std::get<DeviceStage>(program.stages[place.stage].work).tiles[place.tile];
}

// Instructions to add, each before an instruction of a tile.
struct Candidate {
  struct Addition {
    uint32_t stage = 0, tile = 0, before = 0;
    Instruction instruction;
  };
  uint32_t layer = 0; // the layer that lacks them
  std::vector<Addition> additions = {};

  void add(const Place &place, uint32_t before, const Instruction &instruction) {
    additions.push_back({place.stage, place.tile, before, instruction});
  }
  MissingOrder asMissing(bool isEnough) const {
    MissingOrder missing{.added = {}, .isEnough = isEnough, .layer = layer};
    for (const Addition &addition : additions) {
      Instruction shown = addition.instruction; // without its layer, which the place states
      std::visit([](auto &typed) { typed.layer = 0; }, shown);
      missing.added.push_back({addition.stage, addition.tile, addition.before, printInstruction(shown)});
    }
    return missing;
  }
};

// Analyses a program with candidates added. One copy of the program serves for all.
class Attempts {
public:
  explicit Attempts(const Program &original) : program(original) {}

  Analysis analyseWith(const Candidate &candidate) {
    for (const Candidate::Addition &addition : candidate.additions) {
      std::vector<Instruction> &code = codeOf(addition);
      code.insert(code.begin() + addition.before, addition.instruction);
      moveLater(addition, 1);
    }
    const Analysis analysis = analyse(program);
    for (const Candidate::Addition &addition : candidate.additions | std::views::reverse) {
      std::vector<Instruction> &code = codeOf(addition);
      code.erase(code.begin() + addition.before);
      moveLater(addition, -1);
    }
    return analysis;
  }

private:
  std::vector<Instruction> &codeOf(const Candidate::Addition &addition) {
    return std::get<DeviceStage>(program.stages[addition.stage].work).tiles[addition.tile];
  }
  // Moves what the metadata say about later instructions of the tile.
  void moveLater(const Candidate::Addition &addition, int by) {
    for (proto::Tensor &tensor : *program.metadata.mutable_tensors())
      for (proto::Piece &piece : *tensor.mutable_pieces())
        if (tensor.stage() == addition.stage && !piece.ddr() && piece.tile() == addition.tile &&
            piece.ready_at() > addition.before)
          piece.set_ready_at(static_cast<uint32_t>(static_cast<int64_t>(piece.ready_at()) + by));
  }

  Program program;
};

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

// On one tile: the engine of the later instruction waits for the engine of the earlier one, for as little as possible or, if
// `forAll` is set, for everything. With `stopsIssue`, the sequencer waits instead, before it issues the later instruction; only it can
// order two instructions of one engine.
std::optional<Candidate> withSync(const Program &program, Place first, Place second, bool forAll,
                                  bool stopsIssue) {
  if (first.instruction > second.instruction)
    std::swap(first, second);
  const Engine waiting = stopsIssue ? Engine::sequencer : second.engine;
  if (first.engine == waiting || first.engine == Engine::sequencer)
    return {};
  const std::vector<Instruction> &code = codeOf(program, first);
  const auto between =
      std::ranges::count_if(code.begin() + first.instruction + 1, code.begin() + second.instruction,
                            [&](const Instruction &other) { return engineOf(other) == first.engine; });
  Candidate candidate{second.layer};
  candidate.add(second, second.instruction,
                Sync{.layer = second.layer,
                     .engine = waiting,
                     .on = first.engine,
                     .pending = static_cast<uint8_t>(
                         forAll ? 0 : std::min<size_t>(static_cast<size_t>(between), mostPending))});
  return candidate;
}

// Between tiles: the second instruction waits for the next signal that the first one's engine sends to its tile anyway.
std::optional<Candidate> withWait(const Program &program, const Place &first, const Place &second) {
  const std::vector<Instruction> &code = codeOf(program, first);
  std::map<uint8_t, uint32_t> sums; // by semaphore of the second tile
  for (uint32_t i = 0; i < code.size(); ++i) {
    const auto *signal = std::get_if<Signal>(&code[i]);
    if (!signal || signal->tile != second.tile)
      continue;
    sums[signal->semaphore] += signal->amount;
    if (i < first.instruction || signal->engine != first.engine)
      continue;
    Candidate candidate{second.layer};
    candidate.add(second, second.instruction,
                  Wait{.layer = second.layer,
                       .engine = second.engine,
                       .semaphore = signal->semaphore,
                       .value = sums[signal->semaphore]});
    return candidate;
  }
  return {};
}

// Between tiles: the first instruction's engine signals, and the second one's waits.
std::optional<Candidate> withSignal(const Program &program, const Place &first, const Place &second) {
  const std::optional<uint8_t> semaphore = unusedSemaphore(program, second.stage, second.tile);
  if (!semaphore)
    return {};
  Candidate candidate{second.layer};
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

// What the signals of a semaphore have in common.
struct Senders {
  uint32_t tile = 0;
  Engine engine = Engine::sequencer;
  uint64_t sum = 0;
};

// Nothing if no instruction signals the semaphore, or several engines do.
std::optional<Senders> sendersTo(const DeviceStage &stage, uint32_t tile, uint8_t semaphore) {
  std::optional<Senders> senders;
  for (uint32_t from = 0; from < stage.tiles.size(); ++from)
    for (const Instruction &instruction : stage.tiles[from])
      if (const auto *signal = std::get_if<Signal>(&instruction);
          signal && signal->tile == tile && signal->semaphore == semaphore) {
        if (senders && (senders->tile != from || senders->engine != signal->engine))
          return {};
        senders = Senders{from, signal->engine, (senders ? senders->sum : 0) + signal->amount};
      }
  return senders;
}

std::optional<MissingOrder> missingSignal(const Program &program, const Place &place) {
  const auto &stage = std::get<DeviceStage>(program.stages[place.stage].work);
  const auto *wait = std::get_if<Wait>(&stage.tiles[place.tile][place.instruction]);
  const auto senders = wait ? sendersTo(stage, place.tile, wait->semaphore) : std::nullopt;
  if (!senders || senders->sum >= wait->value)
    return {};
  const std::vector<Instruction> &code = stage.tiles[senders->tile];
  std::vector<uint32_t> behind; // instructions of the engine: the signal may follow each of them
  for (uint32_t i = 0; i < code.size(); ++i)
    if (engineOf(code[i]) == senders->engine && !std::holds_alternative<Halt>(code[i]))
      behind.push_back(i);
  std::optional<MissingOrder> found;
  Attempts attempts(program);
  for (size_t begin = 0, end = behind.size(); begin < end;) {
    const size_t middle = begin + (end - begin) / 2;
    const uint32_t layer = layerOf(code[behind[middle]]);
    Candidate candidate{layer};
    candidate.add(Place{.stage = place.stage, .tile = senders->tile}, behind[middle] + 1,
                  Signal{.layer = layer,
                         .engine = senders->engine,
                         .tile = static_cast<uint8_t>(place.tile),
                         .semaphore = wait->semaphore,
                         .amount = static_cast<uint32_t>(wait->value - senders->sum)});
    const Analysis analysis = attempts.analyseWith(candidate);
    if (analysis.proved())
      found = candidate.asMissing(true);
    if (analysis.proved() || analysis.count(ProblemKind::deadlock) > 0)
      end = middle;
    else
      begin = middle + 1;
  }
  return found;
}

} // namespace

std::optional<MissingOrder> missingOrder(const Program &program, const Finding &finding,
                                         const FindingCounts &counts) {
  if (finding.kind == nameOf(ProblemKind::waitNeverSatisfied) && finding.places.size() == 1)
    return missingSignal(program, finding.places.front());
  const Finding &race = finding;
  if (race.kind != nameOf(ProblemKind::race) || race.places.size() != 2 || race.places[0].host ||
      race.places[1].host || race.places[0].stage != race.places[1].stage)
    return {};
  Place first = race.places[0], second = race.places[1];
  if (second.layer < first.layer)
    std::swap(first, second);
  std::vector<std::function<std::optional<Candidate>()>> candidates;
  if (first.tile == second.tile)
    for (const auto &[forAll, stopsIssue] : {std::pair{false, false}, {true, false}, {false, true}})
      candidates.push_back(
          [&, forAll, stopsIssue] { return withSync(program, first, second, forAll, stopsIssue); });
  else
    for (const auto &candidateFor : {withWait, withSignal}) {
      candidates.push_back([&, candidateFor] { return candidateFor(program, first, second); });
      // Of two layers, the accesses of the earlier one have to come first.
      if (first.layer == second.layer)
        candidates.push_back([&, candidateFor] { return candidateFor(program, second, first); });
    }
  std::optional<MissingOrder> found; // the first that proves the program, or else the first that helps
  Attempts attempts(program);
  for (const auto &make : candidates) {
    const std::optional<Candidate> candidate = make();
    if (!candidate)
      continue;
    const Analysis analysis = attempts.analyseWith(*candidate);
    if (analysis.proved())
      return candidate->asMissing(true);
    if (!found && isBetter(analysis, counts))
      found = candidate->asMissing(false);
  }
  return found;
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
  return "what is missing: " + text +
         (record["proves_program"].get<bool>() ? "; the program is then proved" : "; other problems remain");
}

} // namespace tilerig::verify
