// What the analyser or a trap of the emulator has against a program, in one form: both name instructions,
// their layers, and bytes of a memory.
#pragma once

#include "isa/Analyser/Problem.h"
#include "verify/Inputs/StrictJson.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tilerig::verify {

enum class FoundBy : uint8_t { analyser, trap };
std::string_view nameOf(FoundBy by); // as in records

struct Finding {
  FoundBy by = FoundBy::analyser;
  std::string kind; // as isa/Analyser/Problem.h and emulator/Traps/Fault.h name them: "race", "data_fault"
  std::string text; // one sentence, without the places
  std::vector<Place> places = {};
  std::optional<MemoryId> memory = {}; // of findings about memory: which one, and the lowest bytes concerned
  ByteRange bytes = {};
  std::optional<uint64_t> cycle = {}; // of a trap, where a clock runs
};

Finding findingOf(const Problem &problem);

using FindingCounts = std::map<std::string, uint64_t>; // by kind; no zeros

// The name of the layer that an instruction belongs to; empty where the program does not say.
std::string layerNameOf(const Place &place, const Program &program);

// A record of the kind `finding`:
//
//   by      "analyser" or "trap"
//   kind, reason (the text), cycle
//   memory  "DDR", "OCM of tile 3" or null
//   bytes   [first, last] of the lowest range concerned, or null
//   places  the instructions: {"stage", "tile", "engine", "instruction", "operation", "operand", "layer",
//           "layer_id", "words"}; of the host "stage" and "words" alone
Json findingRecord(const Finding &finding, const Program &program);

// "30 race, 1 deadlock", of counts by kind.
std::string describeCounts(const Json &counts);

// In lines: the kind with the text, and under it a line for each place.
std::string findingLines(const Json &record);

} // namespace tilerig::verify
