// A problem of a program, in the same form for problems found by the analyser and for traps of the emulator:
// instructions, their layers, and a range of bytes in a memory.
#pragma once

#include "isa/Base/Support/Json.h"
#include "isa/Order/Problem.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilerig::verify {

enum class FoundBy : uint8_t { analyser, trap };
std::string_view nameOf(FoundBy by); // "analyser" or "trap", as in records

struct Finding {
  FoundBy by = FoundBy::analyser;
  std::string kind; // name from isa/Order/Problem.h or emulator/Traps/Fault.h: "race", "data_fault"
  std::string text; // one sentence that describes the problem without naming its instructions
  std::vector<Place> places = {};
  // The memory in which the problem occurs. `bytes` is the first contiguous range of bytes concerned.
  std::optional<MemoryId> memory = {};
  ByteRange bytes = {};
  std::optional<uint64_t> cycle = {}; // cycle in which a trap occurred; only in timed mode
};

Finding findingOf(const Problem &problem);

// Number of findings (problems of a program) of each kind.
using FindingCounts = std::map<std::string, uint64_t>;

// Name of the layer that an instruction belongs to; empty if the program does not name it.
std::string layerNameOf(const Place &place, const Program &program);

// A record of the kind `finding`:
//
//   by      "analyser" or "trap"
//   kind, reason (the text), cycle
//   memory  "DDR", "OCM of tile 3" or null
//   bytes   [first, last] of the lowest range concerned, or null
//   places  the instructions: {"stage", "stage_index", "tile", "engine", "instruction", "operation", "operand", "layer",
//           "layer_id", "words"}; a place on the host has only "stage" and "words"
// The first findings of a kind may have more fields (ExplainOrder.h).
Json findingRecord(const Finding &finding, const Program &program);

// Formats counts by kind: "30 race, 1 deadlock".
std::string describeCounts(const Json &counts);

// Formats a finding as lines of text: its kind and description, then a line for each instruction.
std::string findingLines(const Json &record);

} // namespace tilerig::verify
