#include "isa/Bugs/Binary.h"

#include <algorithm>
#include <fmt/format.h>

namespace tilerig {

namespace {

using Code = std::vector<Instruction>;

// The position of an instruction in the program: stage, tile and index.
struct InstructionPosition {
  uint32_t stage = 0, tile = 0;
  size_t index = 0;
};

// The index of the next (step 1) or previous (step -1) non-control instruction of the same engine.
std::optional<size_t> neighbourOf(const Code &code, size_t index, int step) {
  const Engine engine = engineOf(code[index]);
  for (auto i = static_cast<ptrdiff_t>(index) + step; i >= 0 && i < std::ssize(code); i += step)
    if (const Instruction &instruction = code[static_cast<size_t>(i)];
        !isControl(instruction) && engineOf(instruction) == engine)
      return static_cast<size_t>(i);
  return {};
}

// The semaphores that the tile's program waits for, ascending.
std::vector<uint8_t> semaphoresOf(const Code &code) {
  std::vector<uint8_t> all;
  for (const Instruction &instruction : code)
    if (const auto *wait = std::get_if<Wait>(&instruction))
      all.push_back(wait->semaphore);
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  return all;
}

// After an instruction was erased, corrects the sync instructions behind it that wait for its engine. A sync
// waits for all earlier instructions of the engine except the last `pending` ones; if the erased instruction
// was one of the exceptions, `pending` is reduced by 1.
void adaptSyncs(Code &code, size_t erased) {
  const Engine engine = engineOf(code[erased]);
  size_t since = 0;
  for (size_t i = erased + 1; i < code.size(); ++i) {
    if (auto *sync = std::get_if<Sync>(&code[i]); sync && sync->on == engine && since < sync->pending)
      --sync->pending;
    since += engineOf(code[i]) == engine;
  }
}

void moveTo(Code &code, size_t from, size_t to) {
  const auto first = code.begin() + static_cast<ptrdiff_t>(from),
             last = code.begin() + static_cast<ptrdiff_t>(to);
  if (from < to)
    std::rotate(first, first + 1, last + 1);
  else
    std::rotate(last, first, first + 1);
}

// A kind of bug: which instructions it can affect, and how it changes the program.
struct BinaryBug {
  std::string_view id;
  bool (*applies)(const Code &code, size_t index);
  void (*change)(Code &code, size_t index);
};

template <class T>
bool is(const Code &code, size_t index) {
  return std::holds_alternative<T>(code[index]);
}
void drop(Code &code, size_t index) {
  adaptSyncs(code, index);
  code.erase(code.begin() + static_cast<ptrdiff_t>(index));
}

const BinaryBug binaryBugs[] = {
    {"wait-deleted", is<Wait>, drop},
    {"wait-late", [](const Code &code, size_t i) { return is<Wait>(code, i) && neighbourOf(code, i, 1); },
     [](Code &code, size_t i) { moveTo(code, i, *neighbourOf(code, i, 1)); }},
    {"wait-phase",
     [](const Code &code, size_t i) { return is<Wait>(code, i) && std::get<Wait>(code[i]).value > 1; },
     [](Code &code, size_t i) { --std::get<Wait>(code[i]).value; }},
    {"wait-semaphore",
     [](const Code &code, size_t i) { return is<Wait>(code, i) && semaphoresOf(code).size() > 1; },
     [](Code &code, size_t i) {
       const std::vector<uint8_t> all = semaphoresOf(code);
       uint8_t &semaphore = std::get<Wait>(code[i]).semaphore;
       const auto next = std::ranges::upper_bound(all, semaphore);
       semaphore = next == all.end() ? all.front() : *next;
     }},
    {"signal-deleted", is<Signal>, drop},
    {"signal-early",
     [](const Code &code, size_t i) { return is<Signal>(code, i) && neighbourOf(code, i, -1); },
     [](Code &code, size_t i) { moveTo(code, i, *neighbourOf(code, i, -1)); }},
    {"sync-deleted", is<Sync>, drop},
    {"instructions-swapped",
     [](const Code &code, size_t i) { return !isControl(code[i]) && neighbourOf(code, i, 1); },
     [](Code &code, size_t i) { std::swap(code[i], code[*neighbourOf(code, i, 1)]); }},
};

std::vector<InstructionPosition> positionsFor(const BinaryBug &bug, uint32_t layer, const Program &program) {
  std::vector<InstructionPosition> positions;
  for (uint32_t stage = 0; stage < program.stages.size(); ++stage)
    if (const auto *device = std::get_if<DeviceStage>(&program.stages[stage].work))
      for (uint32_t tile = 0; tile < device->tiles.size(); ++tile)
        for (size_t i = 0; i < device->tiles[tile].size(); ++i)
          if (layerOf(device->tiles[tile][i]) == layer && bug.applies(device->tiles[tile], i))
            positions.push_back({stage, tile, i});
  return positions;
}

// Corrects the debug map, which states the ranges of instructions that implement each layer: indices of
// instructions behind an erased instruction are reduced by 1.
void adaptRanges(const InstructionPosition &position, Program &program) {
  auto &ranges = *program.metadata.mutable_debug();
  for (proto::DebugRange &range : ranges)
    if (range.stage() == position.stage && range.tile() == position.tile) {
      range.set_begin(range.begin() - (range.begin() > position.index));
      range.set_end(range.end() - (range.end() > position.index));
    }
  ranges.erase(std::remove_if(ranges.begin(), ranges.end(),
                              [](const proto::DebugRange &range) { return range.begin() == range.end(); }),
               ranges.end());
}

// Corrects the pieces of tensors that are complete before a certain instruction: their `ready_at`, the index
// of that instruction, is reduced by 1 if the instruction stands behind the erased one.
void adaptPieces(const InstructionPosition &position, Program &program) {
  for (proto::Tensor &tensor : *program.metadata.mutable_tensors())
    for (proto::Piece &piece : *tensor.mutable_pieces())
      if (tensor.stage() == position.stage && piece.tile() == position.tile &&
          piece.ready_at() > position.index)
        piece.set_ready_at(piece.ready_at() - 1);
}

Status inject(const BinaryBug &bug, uint32_t layer, BugDraw &draw, Program &program) {
  const std::vector<InstructionPosition> positions = positionsFor(bug, layer, program);
  if (positions.empty())
    return unsupported("", "the layer has no instruction of the kind that this bug changes");
  TILERIG_TRY(const size_t chosen, draw.index("index", positions.size()));
  const InstructionPosition &position = positions[chosen];
  Code &code = std::get<DeviceStage>(program.stages[position.stage].work).tiles[position.tile];
  const size_t before = code.size();
  bug.change(code, position.index);
  if (code.size() < before) {
    adaptRanges(position, program);
    adaptPieces(position, program);
  }
  return success();
}

} // namespace

std::vector<std::string> layerNames(const Program &program) {
  std::vector<std::string> names;
  for (const proto::Layer &layer : program.metadata.layers())
    names.push_back(layer.name());
  if (names.empty()) // without metadata, all instructions belong to layer 0
    names.emplace_back();
  return names;
}

void noteBug(const InjectedBug &injected, Program &program) {
  program.proof.reset();
  program.metadata.set_allow_unproved(true);
  program.metadata.add_injected(printBugChoice(injected.choice));
}

Result<InjectedBug> injectIntoProgram(const BugChoice &choice, uint64_t seed, Program &program) {
  const auto bug = std::ranges::find(binaryBugs, choice.bug->id, &BinaryBug::id);
  if (bug == std::end(binaryBugs))
    return unsupported(
        std::string(choice.bug->id),
        fmt::format(
            "the bug arises in the compilation stage '{}', so it cannot be injected into a finished program",
            nameOf(choice.bug->stage)),
        "inject it with tilerig check --inject");
  TILERIG_TRY(InjectedBug injected,
              injectSomewhere(choice, seed, layerNames(program), [&](uint32_t layer, BugDraw &draw) {
                return inject(*bug, layer, draw, program);
              }));
  noteBug(injected, program);
  return injected;
}

} // namespace tilerig
