// The pipeline of the compiler, from ONNX's operators to instructions, in phases. Every command that compiles
// runs these phases. In `tilerig-opt`, they are available as pipelines by name.
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
  graph,  // on level `graph`: fuses groups of ONNX operators, as exporters write them, to single operations
  layers, // from level `graph` to level `layer`: forms, fuses and groups layers
  precision,    // decides the precision of every layer
  places,       // decides whether each layer runs on the accelerator or on the host
  tiles,        // from level `layer` to level `tile`: plans and orders the tasks of the tiles
  tasks,        // on level `tile`: runs only passes that a user inserts
  instructions, // from level `tile` to level `isa`: expands tasks to instructions
};

// Messages for the user about a compilation that succeeded.
struct PipelineNotes {
  PrecisionNotes precision;                   // messages of decide-precision
  std::vector<std::string> warnings, remarks; // diagnostics of all passes, also of pass plugins
};

struct PipelineOptions {
  std::string model; // name of the model's file, for error messages

  // Textual pipeline that replaces the passes of phase `graph`; empty: the usual passes.
  std::string graphPasses = {};
  // Flags of passes to leave out, so that the gain of each can be measured. Passes that optionalPasses() does
  // not name cannot be left out, as no layer could run without them.
  std::vector<std::string> without = {};
  std::vector<InsertedPass> inserted = {};
  std::string only = {};                  // where layers may run, like the option `only` of form-layers
  std::optional<uint64_t> maxLayers = {}; // number of layers to keep, from the first on

  std::optional<PrecisionOptions> precision = {}; // precision of layers; empty: the types of the ONNX model
  CalibrationMaker calibration = {};
  PipelineNotes *notes = nullptr; // receives the pipeline's messages for the user, unless null
  QuantisedEdges edges = {};

  PassInstruments *instruments = nullptr; // prints the debugging output of passes; may be null
  bool verifiesEach = false;              // verify the module after every pass; else after every phase

  TileLowering tiles = {}; // machine, strategy and options for generating the program
};

// Name of a phase: "graph", "layers", "precision", "places", "tiles", "tasks" or "instructions".
std::string_view nameOf(PipelinePhase phase);

// Adds the passes of a phase to a pass manager.
Status addPhase(mlir::OpPassManager &module, PipelinePhase phase, const PipelineOptions &options);

// Flags of all passes that can be left out.
std::vector<std::string> optionalPasses();
// Flags of all passes down to level `layer`, which run in every compilation.
std::vector<std::string> passesOfPipeline();
// Flags of all passes before or after which others can be inserted, such as lower-to-tile and lower-to-isa.
std::vector<std::string> anchorsOfPipeline();

// Registers the pipelines `lower-to-layers` and `lower-to-instructions` for tilerig-opt.
void registerPipelines();

} // namespace tilerig::compiler
