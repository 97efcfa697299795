// What the command line of `tilerig compile` says.
#pragma once

#include "compiler/Codegen/AssembleProgram.h"
#include "compiler/Deciding/ApplyPrecision.h"
#include "compiler/Export/Export.h"
#include "compiler/Import/Import.h"
#include "compiler/Precision/QuantisedEdges.h"
#include "compiler/Tools/ProgramForms.h"
#include "isa/Tools/CommandLine.h"

namespace tilerig {

enum class Emit { graph, layer, onnx, program, cpp, tile, isa, assembly };
enum class From { onnx, graph, layer, tile, isa };

struct CompileArguments {
  std::string model, output, passes, machine = "tr64", metadata, strategy, strategyTo, reportTo, inject;
  std::optional<Emit> emit;
  std::optional<OnnxForm> form;
  From from = From::onnx;
  bool allowUnproved = false;
  bool report = false;
  ProgramOptions program;
  unsigned tiles = 0;                // all that the machine has
  std::optional<uint64_t> maxLayers; // the first so many; all of them unless given
  std::optional<int64_t> batch;      // as the model says unless given
  bool dumpsWeights = false, keepsMetadata = false, wantsFutureBackEnd = false;
  std::vector<std::string> without;     // passes of our own, by their flags
  std::vector<std::string> inputShapes; // NAME=1x3x224x224
  unsigned searchBudget = 0;            // ways to try; 0: no search
  uint64_t searchSeed = 1, injectSeed = 0;
  QuantisedEdges edges;
  PrecisionOptions precision;
  std::vector<std::string> words; // of the command line, as far as they say how to compile

  bool decidesPrecision() const { return !precision.precision.empty(); }
  bool decidesEdges() const { return edges.inputs || edges.outputs; }
  // Precision is one of layers.
  bool wantsLayers() const {
    return emit == Emit::layer || emitsProgram() || !emit || decidesPrecision() || decidesEdges();
  }
  // Passes of our own are run, up to layers.
  bool makesLayers() const { return passes.empty() && wantsLayers() && from != From::layer; }
  bool isFromProgram() const { return from >= From::tile; }
  // In whatever form.
  bool emitsProgram() const { return emit && *emit >= Emit::program; }
  ProgramForm programForm() const {
    return emit == Emit::isa        ? ProgramForm::isa
           : emit == Emit::assembly ? ProgramForm::assembly
                                    : ProgramForm::file;
  }
};

// The published compiler of this machine writes target flags with one dash, as "-num_tiles=26": those become
// two.
std::vector<std::string> withTwoDashes(int argc, char **argv);

void declareOptions(CLI::App &options, CompileArguments &arguments);

// What only the whole line shows: defaults, and options that do not go together.
void complete(CompileArguments &arguments, int argc, char **argv);
Status checkArguments(const CompileArguments &arguments, const CLI::App &options, bool json);

Result<ImportOptions> importOptions(const CompileArguments &arguments);

} // namespace tilerig
