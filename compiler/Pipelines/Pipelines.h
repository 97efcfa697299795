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
  graph,        // on level `graph`: replaces groups of ONNX operators that exporters write for one operation
  layers,       // from level `graph` to level `layer`: forms, fuses and groups layers
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
  std::string model; // name of the model's file, shown in error messages

  // Textual pipeline to run instead of the passes of phase `graph`; empty: the usual passes.
  std::string graphPasses = {};
  // Names of passes to leave out, so that the gain of each pass can be measured. Only the passes that
  // optionalPasses() lists can be left out.
  std::vector<std::string> without = {};
  std::vector<InsertedPass> inserted = {};
  // where layers may run, as for the option `only` of the pass form-layers
  std::string only = {};
  std::optional<uint64_t> maxLayers = {}; // how many layers to keep, counted from the first; empty: all
  std::vector<std::string> saved = {}; // results of layers that become outputs, as for the pass save-results

  std::optional<PrecisionOptions> precision = {}; // precision of layers; empty: the types of the ONNX model
  CalibrationMaker calibration = {};
  PipelineNotes *notes = nullptr; // receives the pipeline's messages for the user, unless null
  QuantisedEdges edges = {};

  PassInstruments *instruments = nullptr; // prints the debugging output of passes; may be null
  // whether to verify the module after every pass, not only after every phase
  bool verifiesEach = false;

  TileLowering tiles = {}; // machine, strategy and options for generating the program
};

// Name of a phase: "graph", "layers", "precision", "places", "tiles", "tasks" or "instructions".
std::string_view nameOf(PipelinePhase phase);

// Adds the passes of a phase to a pass manager.
Status addPhase(mlir::OpPassManager &module, PipelinePhase phase, const PipelineOptions &options);

// Names of all passes that can be left out.
std::vector<std::string> optionalPasses();
// Names of all passes down to level `layer`, which run in every compilation.
std::vector<std::string> passesOfPipeline();
// Names of all passes before or after which users can insert others, such as lower-to-tile and lower-to-isa.
std::vector<std::string> anchorsOfPipeline();

// Registers the pipelines `lower-to-layers` and `lower-to-instructions` for tilerig-opt.
void registerPipelines();

} // namespace tilerig::compiler
