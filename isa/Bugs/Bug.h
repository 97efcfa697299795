// Describes bugs that are injected on purpose: what each bug imitates, where it arises, and its parameters.
//
// A row of the catalogue (Catalogue.h) states what holds for a bug wherever it is injected. The code that
// injects bugs lies where such bugs would arise: compiler/Inject, Binary.h in this folder, emulator/Defects.
#pragma once

#include "isa/Instructions/Field.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilerig {

// The classes of bugs, in the order of the classifier's outputs. The last two classes are bugs of compiler
// passes. They change the emitted model as well as the program, so they are found only by a comparison with
// the original model.
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
  hardware,
  rewrite,     // a compiler pass changed what the model computes
  typeDecision // a compiler pass chose a wrong type or scale
};
template <>
struct EnumNames<BugClass> {
  static constexpr auto values = std::to_array<std::string_view>(
      {"no_error",      "padding",        "bias_loading",      "coefficient_loading",
       "orientation",   "clipping",       "instruction_calls", "quantisation_type",
       "scaling",       "overflow",       "rounding",          "splitting",
       "data_access",   "memory_mapping", "memory_allocation", "synchronisation",
       "serialisation", "table",          "hardware",          "rewrite",
       "type_decision"});
};
inline constexpr size_t numBugClasses = EnumNames<BugClass>::values.size();
// Number of the classes of bugs that change only the program, and not the model that the compiler emits.
// These classes come first in the enumeration.
inline constexpr size_t numProgramBugClasses = static_cast<size_t>(BugClass::hardware) + 1;

// The compilation stage in which a bug arises.
enum class BugStage : uint8_t {
  none,       // no bug
  graph,      // compiler passes over the IR level `graph` (operations of ONNX)
  layer,      // compiler passes over the IR level `layer`, and the lowering to `layer`
  operations, // lowering of layers to device operations: constants, windows, scales
  plan,       // memory allocation
  tasks,      // generation of instructions from device operations
  binary,     // the finished program: order and synchronisation of its instructions
  hardware,   // the machine
};
template <>
struct EnumNames<BugStage> {
  static constexpr auto values = std::to_array<std::string_view>(
      {"none", "graph", "layer", "operations", "plan", "tasks", "binary", "hardware"});
};

// The result types of a layer in which a bug is possible.
enum class BugTypes : uint8_t { all, eightBits, floats };

// A parameter of a bug: an integer in a range, or one of several words. The layer in which the bug is
// injected may narrow the range.
struct BugParameter {
  std::string_view name, meaning;
  int64_t low = 0, high = 0; // least and largest value of an integer parameter
  std::span<const std::string_view> words = {};

  bool isWord() const { return !words.empty(); }
};

struct Bug {
  std::string_view id;
  BugClass bugClass = BugClass::noError;
  BugStage stage = BugStage::none;
  std::string_view site;                         // the part of compiler, program or machine that is wrong
  std::string_view imitates;                     // the mistake that the bug imitates, in a sentence
  std::span<const std::string_view> layers = {}; // kinds of layers in which the bug can occur; empty: any
  BugTypes types = BugTypes::all;
  std::span<const BugParameter> parameters = {};
  // False if tensors cannot reveal the bug, because the program never ends or only its timing is wrong. The
  // analyser or a measurement then shows the bug.
  bool showsInTensors = true;

  // Whether the bug arises in a pass of the compiler. The check of the passes finds such bugs and proves
  // which pass is wrong.
  bool isInPass() const { return stage == BugStage::graph || stage == BugStage::layer; }
};

constexpr std::string_view nameOf(BugClass bugClass) {
  return EnumNames<BugClass>::values[static_cast<size_t>(bugClass)];
}
constexpr std::string_view nameOf(BugStage stage) {
  return EnumNames<BugStage>::values[static_cast<size_t>(stage)];
}
// The precisions in which layers have results of these types, as `tilerig check --precision` names them.
std::vector<std::string_view> precisionsOf(BugTypes types);

} // namespace tilerig
