// Command line arguments of `tilerig compile`.
#pragma once

#include "compiler/Export/Export.h"
#include "compiler/Graph/Import/Import.h"
#include "compiler/Layer/Precision/ApplyPrecision.h"
#include "compiler/Pipelines/PassRequests.h"
#include "compiler/Planning/Quantisation/QuantisedEdges.h"
#include "compiler/Tile/Emit/AssembleProgram.h"
#include "compiler/Tools/ProgramForms.h"
#include "isa/Base/CommandLine/CommandLine.h"

namespace tilerig::compiler {

enum class Emit { graph, layer, onnx, program, cpp, tile, isa, assembly };
enum class From { onnx, graph, layer, tile, isa };

struct CompileArguments {
  std::string model, output, machine = "tr64", metadata, strategy, strategyTo, reportTo, inject;
  std::optional<Emit> emit;
  std::optional<OnnxForm> form;
  From from = From::onnx;
  bool allowUnproved = false;
  bool report = false;
  ProgramOptions program;
  unsigned tiles = 0;                // number of tiles to use; 0: all tiles of the machine
  std::optional<uint64_t> maxLayers; // number of layers to keep, from the first on; empty: all
  std::vector<std::string> saved;    // tensors that the program also returns as outputs
  std::optional<int64_t> batch;      // batch size of all inputs; empty: as in the model
  bool dumpsWeights = false, keepsMetadata = false, wantsFutureBackEnd = false;
  PassRequests passes;
  std::vector<std::string> inputShapes; // NAME=1x3x224x224
  unsigned searchBudget = 0;            // number of candidate programs to search; 0: no search
  uint64_t searchSeed = 1, injectSeed = 0;
  QuantisedEdges edges;
  PrecisionOptions precision;
  std::vector<std::string> words; // options that a session (--emit cpp) passes to `tilerig compile`

  bool decidesPrecision() const { return !precision.precision.empty(); }
  bool decidesEdges() const { return edges.inputs || edges.outputs; }
  // Whether the compiler must form layers: because the output needs them, or because the user requests a
  // precision or 8-bit inputs and outputs, which are requests about layers.
  bool wantsLayers() const {
    return emit == Emit::layer || emitsProgram() || !emit || decidesPrecision() || decidesEdges();
  }
  // Whether the compiler's default passes run, down to level `layer`.
  bool makesLayers() const { return passes.pipeline.empty() && wantsLayers() && from != From::layer; }
  bool isFromProgram() const { return from >= From::tile; }
  // Whether the command writes a program: a binary, assembly, MLIR text, or a session (C++ program that
  // compiles the network again).
  bool emitsProgram() const { return emit && *emit >= Emit::program; }
  ProgramForm programForm() const {
    return emit == Emit::isa        ? ProgramForm::isa
           : emit == Emit::assembly ? ProgramForm::assembly
                                    : ProgramForm::file;
  }
};

// Rewrites options with one dash, such as "-num_tiles=26", to two dashes, "--num_tiles=26". The published
// compiler for this machine takes options with one dash.
std::vector<std::string> withTwoDashes(int argc, char **argv);

void declareOptions(CommandOptions &options, CompileArguments &arguments);

// Sets the defaults that depend on other options, and checks for options that exclude each other.
void complete(CompileArguments &arguments, int argc, char **argv);
Status checkArguments(const CompileArguments &arguments, const CommandOptions &options, bool json);

Result<ImportOptions> importOptions(const CompileArguments &arguments);

} // namespace tilerig::compiler
