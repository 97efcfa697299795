// The pipeline of the compiler, from ONNX's operators to instructions, in phases. Every command that compiles
// runs these phases; `tilerig-opt` can run them from text.
#pragma once

#include "compiler/Layer/Precision/ApplyPrecision.h"
#include "compiler/Passes/InsertedPasses.h"
#include "compiler/Planning/Quantisation/QuantisedEdges.h"
#include "compiler/Tile/FromLayer/LowerToTile.h"

#include <mlir/Pass/PassManager.h>
#include <string>

namespace tilerig::compiler {

class PassInstruments;

enum class PipelinePhase : uint8_t {
  graph,        // level `graph`: replaces groups of operators, as exporters write them, by single operations
  layers,       // from `graph` to `layer`: forms layers, fuses them, and orders them in regions
  precision,    // decides the precision of every layer
  places,       // decides whether each layer runs on the accelerator or on the host
  tiles,        // from `layer` to `tile`: plans and orders tasks on the tiles of the machine
  tasks,        // level `tile`: only passes that a user inserts
  instructions, // from `tile` to `isa`
};

// What to tell the user about a compilation that succeeded.
struct PipelineNotes {
  PrecisionNotes precision;                   // of decide-precision
  std::vector<std::string> warnings, remarks; // diagnostics of passes, also of plugins
};

struct PipelineOptions {
  std::string model; // name of the file, for errors

  // Passes, as text, that replace phase `graph`; empty: the usual ones.
  std::string graphPasses = {};
  // Flags of passes to leave out, so that the gain of each can be measured. Passes that optionalPasses() does
  // not name cannot be left out, as no layer could run without them.
  std::vector<std::string> without = {};
  std::vector<InsertedPass> inserted = {};
  std::optional<uint64_t> maxLayers = {}; // how many layers to keep, from the first on

  std::optional<PrecisionOptions> precision = {}; // empty: layers keep the types of the model
  CalibrationMaker calibration = {};
  PipelineNotes *notes = nullptr; // receives what to tell the user
  QuantisedEdges edges = {};

  PassInstruments *instruments = nullptr; // shows what the passes do
  bool verifiesEach = false;              // verifies the module after each pass; else after each phase

  TileLowering tiles = {}; // the machine, the strategy and all options of the program
};

// "graph", "layers", "precision", "places", "tiles", "tasks" or "instructions"
std::string_view nameOf(PipelinePhase phase);

// Adds the passes of a phase.
Status addPhase(mlir::OpPassManager &module, PipelinePhase phase, const PipelineOptions &options);

// Flags of all passes that can be left out.
std::vector<std::string> optionalPasses();
// Arguments of all passes down to level layer. They run in every compilation.
std::vector<std::string> passesOfPipeline();
// Arguments of all passes beside which others can be inserted: also lower-to-tile and lower-to-isa.
std::vector<std::string> anchorsOfPipeline();

// For tilerig-opt: `lower-to-layers`, and `lower-to-instructions` with options.
void registerPipelines();

} // namespace tilerig::compiler
