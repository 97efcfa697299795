// Bugs that are planted on purpose, as data: what each imitates, where it arises, and what may be chosen of
// it.
//
// A row says what is true of a bug wherever it is planted; Catalogue.h has the rows. Who plants it lies where
// such a bug would arise: compiler/Inject, Binary.h beside this file, emulator/Defects.
#pragma once

#include "isa/Instructions/Field.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilerig {

// What a bug is called by whoever is to name it. The one list of class ids: its order is that of classifiers'
// outputs, so it only grows, at its end.
enum class BugClass : uint8_t {
  noError,
  padding,
  biasLoading,
  coefficientLoading,
  orientation,
  clipping,
  instructionCalls,
  quantisationType,
  scaling,
  overflow,
  rounding,
  splitting,
  dataAccess,
  memoryMapping,
  memoryAllocation,
  synchronisation,
  serialisation,
  table,
  hardware
};
template <>
struct EnumNames<BugClass> {
  static constexpr auto values = std::to_array<std::string_view>(
      {"no_error", "padding", "bias_loading", "coefficient_loading", "orientation", "clipping",
       "instruction_calls", "quantisation_type", "scaling", "overflow", "rounding", "splitting",
       "data_access", "memory_mapping", "memory_allocation", "synchronisation", "serialisation", "table",
       "hardware"});
};
inline constexpr size_t numBugClasses = EnumNames<BugClass>::values.size();
static_assert(static_cast<size_t>(BugClass::hardware) + 1 == numBugClasses);

// Where on the way from a model to its results it arises.
enum class BugStage : uint8_t {
  none,     // it does not
  works,    // layers become works: constants, windows, scales
  plan,     // places in memory
  tasks,    // works become instructions
  binary,   // the finished program: order and synchronisation
  hardware, // the machine
};
template <>
struct EnumNames<BugStage> {
  static constexpr auto values =
      std::to_array<std::string_view>({"none", "works", "plan", "tasks", "binary", "hardware"});
};

// Which results' types it can happen to.
enum class BugTypes : uint8_t { all, eightBits, floats };

// A number, or one of some words. What a layer has narrows the range further.
struct BugParameter {
  std::string_view name, meaning;
  int64_t low = 0, high = 0; // both included
  std::span<const std::string_view> words = {};

  bool isWord() const { return !words.empty(); }
};

struct Bug {
  std::string_view id;
  BugClass bugClass = BugClass::noError;
  BugStage stage = BugStage::none;
  std::string_view site;                         // the part of compiler, program or machine that is wrong
  std::string_view imitates;                     // what went wrong there, in a sentence
  std::span<const std::string_view> layers = {}; // kinds of layers; none: any
  BugTypes types = BugTypes::all;
  std::span<const BugParameter> parameters = {};
  // No: its runs never end, or only their time differs. It is proved or measured, and no tensor shows it.
  bool showsInTensors = true;
};

constexpr std::string_view nameOf(BugClass it) {
  return EnumNames<BugClass>::values[static_cast<size_t>(it)];
}
constexpr std::string_view nameOf(BugStage it) {
  return EnumNames<BugStage>::values[static_cast<size_t>(it)];
}
// As `tilerig check --precision` has them.
std::vector<std::string_view> precisionsOf(BugTypes types);

} // namespace tilerig
