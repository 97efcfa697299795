#include "compiler/Tools/Compilation.h"

#include "compiler/Codegen/WriteSession.h"
#include "compiler/Driver/NodeTypes.h"
#include "compiler/Driver/RunPasses.h"
#include "compiler/Import/UnusedConstants.h"
#include "compiler/Listing/Listing.h"
#include "compiler/Listing/Metadata.h"
#include "compiler/Passes/Pipelines.h"
#include "compiler/Report/RunProgram.h"
#include "compiler/Tools/ModuleText.h"
#include "compiler/Works/FormWorks.h"
#include "isa/Support/File.h"

#include <filesystem>
#include <fmt/core.h>
#include <iostream>
#include <nlohmann/json.hpp>

namespace tilerig {

namespace {

using Module = mlir::OwningOpRef<mlir::ModuleOp>;
using Json = nlohmann::json;

// --- What is written besides the result ---

mlir::func::FuncOp mainOf(mlir::ModuleOp module) { return module.lookupSymbol<mlir::func::FuncOp>("main"); }

std::string textOf(const Json &document) {
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Status writeMetadata(const std::string &folder, const char *name, const Json &document) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return invalidInput(folder, fmt::format("cannot be made: {}", error.message()));
  return writeText((std::filesystem::path(folder) / name).string(), textOf(document));
}

// --- The way from what is read to what is written ---

class Compilation {
public:
  Compilation(const CompileArguments &arguments, bool json) : arguments(arguments), json(json) {}

  Status run() {
    TRY(machine, loadMachine(arguments.machine));
    TRY(Module module, read());
    CHECK_OK(lower(*module));
    CHECK_OK(write(*module));
    std::cout << said; // last, as nothing may fail behind a document
    return success();
  }

private:
  // Precision is one of layers.
  bool wantsLayers() const {
    return arguments.emit == Emit::layer || arguments.emitsProgram() || !arguments.emit ||
           decidesPrecision() || decidesEdges();
  }
  OnnxForm form() const { return arguments.form.value_or(OnnxForm::exact); }
  bool decidesPrecision() const { return !arguments.precision.precision.empty(); }
  bool decidesEdges() const { return arguments.edges.inputs || arguments.edges.outputs; }

  Result<Module> read() {
    if (arguments.from == From::graph)
      return readModule(context, arguments.model, Level::graph);
    if (arguments.from == From::layer)
      return readModule(context, arguments.model, Level::layer);
    TRY(const ImportOptions options, importOptions(arguments));
    TRY(const OnnxFile file, OnnxFile::read(arguments.model));
    types = nodeTypesOf(file);
    return importModel(context, file, options);
  }

  Status lower(mlir::ModuleOp module) {
    const bool isOurs = arguments.passes.empty() && wantsLayers() && arguments.from != From::layer;
    if (!arguments.passes.empty())
      CHECK_OK(runPasses(module, arguments.model, arguments.passes));
    if (isOurs)
      CHECK_OK(runPasses(module, arguments.model, buildImproveGraph));
    releaseUnusedConstants(module);
    CHECK_OK(describeGraph(module));
    if (isOurs)
      CHECK_OK(runPasses(module, arguments.model, buildMakeLayers));
    releaseUnusedConstants(module);
    if (decidesPrecision() || decidesEdges())
      CHECK_OK(decidePrecision(module));
    releaseUnusedConstants(module);
    return describeLayers(module);
  }

  // What converts between precisions is layers as well: they find their regions.
  Status decidePrecision(mlir::ModuleOp module) {
    if (decidesPrecision()) {
      TRY(notes, applyPrecision(module, arguments.precision));
    }
    if (const Status done = quantiseEdges(mainOf(module), arguments.edges); !done)
      return done.error().within(arguments.model);
    return runPasses(module, arguments.model, std::string("func.func(canonicalize,cse,partition-layers)"));
  }

  static bool isAt(mlir::ModuleOp module, Level level) {
    return static_cast<bool>(checkLevel(module, "", level));
  }

  Status describeGraph(mlir::ModuleOp module) {
    if (arguments.metadata.empty() || !isAt(module, Level::graph))
      return success();
    return writeMetadata(arguments.metadata, "graph.json", graphMetadata(mainOf(module), types));
  }

  Status describeLayers(mlir::ModuleOp module) {
    if (!isAt(module, Level::layer)) {
      if (arguments.report)
        return usageError("--report", "reports on layers, and this stops before there are any",
                          "leave --emit out, or say --emit layer");
      if (json)
        said = textOf(graphMetadata(mainOf(module), types));
      return success();
    }
    if (arguments.emit == Emit::onnx || arguments.emitsProgram()) {
      TRY(emitted, exported(module, form()));
    }
    const std::vector<Card> cards = cardsOf(mainOf(module), machine);
    Json metadata = layerMetadata(cards, machine, types, emitted ? &*emitted : nullptr);
    if (!notes.empty())
      metadata["notes"] = notes;
    if (!arguments.metadata.empty())
      CHECK_OK(writeMetadata(arguments.metadata, "layer.json", metadata));
    if (json)
      said = textOf(document = std::move(metadata));
    else
      said = (notes.empty() ? "" : notes + "\n") +
             (arguments.report ? partitionReport(cards) + "\n" + listing(cards) : "");
    return success();
  }

  Status write(mlir::ModuleOp module) {
    if (!arguments.emit)
      return success();
    if (arguments.emitsProgram())
      return writeProgram(module);
    if (emitted)
      return writeModel(emitted->proto, arguments.output);
    if (arguments.emit == Emit::onnx)
      return exportModel(module, arguments.output, form());
    CHECK_OK(
        checkLevel(module, arguments.model, arguments.emit == Emit::graph ? Level::graph : Level::layer));
    return writeText(arguments.output, printModule(module));
  }

  Status writeProgram(mlir::ModuleOp module) {
    TRY(DeviceNetwork network, formWorks(mainOf(module), cardsOf(mainOf(module), machine), *emitted));
    network.name = std::filesystem::path(arguments.model).stem().string();
    nameOperators(types, network);
    const unsigned tiles = arguments.tiles ? arguments.tiles : machine.network.tiles;
    if (tiles > machine.network.tiles)
      return usageError("--tiles",
                        fmt::format("the machine '{}' has {} tiles", machine.name, machine.network.tiles));
    ProgramOptions options = arguments.program;
    options.tiles = tiles;
    if (!arguments.strategy.empty()) {
      TRY(const std::string text, readText(arguments.strategy));
      auto read = parseStrategy(text);
      if (!read)
        return read.error().within(arguments.strategy);
      options.strategy = *std::move(read);
    }
    TileLevel level;
    TRY(const GeneratedProgram generated,
        generateProgram(network, machine, options, arguments.emit == Emit::tile ? &level : nullptr));
    if (!arguments.strategyTo.empty())
      CHECK_OK(writeText(arguments.strategyTo, printStrategy(generated.strategy)));
    if (arguments.emit == Emit::cpp)
      return writeText(arguments.output, sessionSource(generated.program, generated.strategy, arguments.model,
                                                       arguments.words));
    if (arguments.emit == Emit::tile)
      return writeTiles(generated.program, level, arguments.output);
    CHECK_OK(writeProgramAs(arguments.programForm(), generated.program, arguments.output));
    return arguments.emit == Emit::program && (arguments.report || !arguments.reportTo.empty())
               ? reportRun(network, options, generated)
               : success();
  }

  // What the program costs, layer by layer, on the emulator.
  Status reportRun(const DeviceNetwork &network, ProgramOptions options, const GeneratedProgram &program) {
    options.apart = true;
    TRY(const GeneratedProgram apart, generateProgram(network, machine, options));
    TRY(const LayerTable table, measureLayers(arguments.output, program, apart));
    if (!arguments.reportTo.empty())
      CHECK_OK(writeText(arguments.reportTo, asCsv(table)));
    if (json) {
      document["report"] = asJson(table);
      said = textOf(document);
    } else if (arguments.report) {
      said += "\n" + asText(table);
    }
    return success();
  }

  const CompileArguments &arguments;
  bool json;
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  Machine machine;
  NodeTypes types;
  std::string notes;                    // of the calibration
  std::optional<ExportedModel> emitted; // the layers, where they are wanted as ONNX
  Json document;                        // on standard output, where it is JSON
  std::string said;                     // on standard output
};

} // namespace

Status compileModel(const CompileArguments &arguments, bool json) {
  return Compilation(arguments, json).run();
}

Status compileProgram(const CompileArguments &arguments, bool json) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  TRY(Program program,
      readProgramText(context, arguments.model, arguments.from == From::tile ? Level::tile : Level::isa,
                      arguments.allowUnproved));
  if (arguments.emit)
    CHECK_OK(writeProgramAs(arguments.programForm(), program, arguments.output));
  if (json)
    std::cout << textOf({{"machine", program.machine.name},
                         {"tiles", program.tiles},
                         {"stages", program.stages.size()},
                         {"proved", program.proof.has_value()}});
  return success();
}

} // namespace tilerig
