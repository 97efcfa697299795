#include "compiler/Tools/Compilation.h"

#include "compiler/Graph/Import/UnusedConstants.h"
#include "compiler/Inject/Program/InjectBug.h"
#include "compiler/Layer/Precision/FirstLayers.h"
#include "compiler/Layer/Precision/QuantiseEdges.h"
#include "compiler/Pipelines/NodeTypes.h"
#include "compiler/Pipelines/ResolvePasses.h"
#include "compiler/Pipelines/RunPasses.h"
#include "compiler/Pipelines/SettlePlaces.h"
#include "compiler/Reports/Cost/RunProgram.h"
#include "compiler/Reports/Layers/Listing.h"
#include "compiler/Reports/Layers/Metadata.h"
#include "compiler/Tile/Emit/DeviceWeights.h"
#include "compiler/Tile/Emit/TileMetadata.h"
#include "compiler/Tile/FromLayer/FormDeviceOps.h"
#include "compiler/Tools/ModuleText.h"
#include "compiler/Tools/SearchProgram.h"
#include "compiler/Tools/WriteSession.h"
#include "isa/Analyser/Analyser.h"
#include "isa/Base/Support/File.h"
#include "isa/Base/Support/Json.h"
#include "isa/Base/Support/Printable.h"
#include "isa/Base/Tensor/TensorFiles.h"

#include <filesystem>
#include <fmt/core.h>
#include <iostream>

namespace tilerig::compiler {

namespace {

using Module = mlir::OwningOpRef<mlir::ModuleOp>;
using Json = nlohmann::json;

// --- Helpers for what is written besides the result ---

mlir::func::FuncOp mainOf(mlir::ModuleOp module) { return module.lookupSymbol<mlir::func::FuncOp>("main"); }

std::string textOf(const Json &document) {
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string linesOf(const std::vector<std::string> &warnings) {
  std::string lines;
  for (const std::string &warning : warnings)
    lines += "warning: " + printable(warning) + "\n";
  return lines;
}

// --- From input to output ---

class Compilation {
public:
  Compilation(const CompileArguments &arguments, bool json) : arguments(arguments), json(json) {}

  Status run() {
    TILERIG_TRY(machine, loadMachine(arguments.machine));
    TILERIG_CHECK_OK(readStrategy());
    TILERIG_TRY(pipeline, resolvePasses(arguments.passes));
    TILERIG_TRY(Module module, read());
    TILERIG_CHECK_OK(lower(*module));
    TILERIG_CHECK_OK(write(*module));
    std::cout << said; // printed last: nothing may fail after a JSON document
    return success();
  }

private:
  OnnxForm form() const { return arguments.form.value_or(OnnxForm::exact); }

  // An emitted ONNX model of form qdq is for other tools, which have no 9-bit integers. So layers may use
  // 9-bit integers only with form exact.
  PrecisionOptions precision() const {
    PrecisionOptions options = arguments.precision;
    options.allowsNineBits = form() == OnnxForm::exact;
    return options;
  }

  Status readStrategy() {
    if (arguments.strategy.empty())
      return success();
    TILERIG_TRY(const std::string text, readText(arguments.strategy));
    auto parsed = parseStrategy(text);
    if (!parsed)
      return parsed.error().within(arguments.strategy);
    strategy = *std::move(parsed);
    return success();
  }

  Result<Module> read() {
    if (arguments.from == From::graph)
      return readModule(context, arguments.model, Level::graph);
    if (arguments.from == From::layer)
      return readModule(context, arguments.model, Level::layer);
    TILERIG_TRY(ImportOptions options, importOptions(arguments));
    options.batch = arguments.batch;
    TILERIG_TRY(const OnnxFile file, OnnxFile::read(arguments.model));
    types = nodeTypesOf(file);
    return importModel(context, file, options);
  }

  Status lower(mlir::ModuleOp module) {
    if (!arguments.passes.pipeline.empty())
      TILERIG_CHECK_OK(runPasses(module, arguments.model, arguments.passes.pipeline));
    if (arguments.makesLayers())
      TILERIG_CHECK_OK(
          runPasses(module, arguments.model, [&](auto &passes) { buildImproveGraph(passes, pipeline); }));
    releaseUnusedConstants(module);
    TILERIG_CHECK_OK(describeGraph(module));
    if (arguments.makesLayers()) {
      PipelineOptions options = pipeline;
      if (arguments.decidesPrecision()) {
        TILERIG_TRY(options.roundsLast, roundsLast(precision()));
      }
      TILERIG_CHECK_OK(
          runPasses(module, arguments.model, [&](auto &passes) { buildMakeLayers(passes, options); }));
    }
    if (arguments.maxLayers)
      TILERIG_CHECK_OK(keepLayers(module));
    releaseUnusedConstants(module);
    if (arguments.decidesPrecision() || arguments.decidesEdges())
      TILERIG_CHECK_OK(decidePrecision(module));
    if (isAt(module, Level::layer))
      TILERIG_CHECK_OK(settlePlaces(module, arguments.model, machine, strategy));
    releaseUnusedConstants(module);
    return describeLayers(module);
  }

  // Keeps only the first layers of the network. This adds layers that transpose the new outputs, so the
  // layers are divided anew into regions (consecutive layers on the accelerator, or on the host).
  Status keepLayers(mlir::ModuleOp module) {
    TILERIG_CHECK_OK(checkLevel(module, arguments.model, Level::layer));
    if (!keepFirstLayers(mainOf(module), *arguments.maxLayers))
      return success();
    return runPasses(module, arguments.model, [&](auto &passes) { buildAfterPrecision(passes, {}); });
  }

  // Decides the precision of each layer as requested. This adds layers that convert between precisions, so
  // the layers are divided anew into regions (consecutive layers on the accelerator, or on the host).
  Status decidePrecision(mlir::ModuleOp module) {
    if (arguments.decidesPrecision()) {
      TILERIG_TRY(PrecisionNotes told, applyPrecision(module, precision()));
      notes = std::move(told.calibration);
      warnings = std::move(told.warnings);
    }
    if (const Status done = quantiseEdges(mainOf(module), arguments.edges); !done)
      return done.error().within(arguments.model);
    return runPasses(module, arguments.model, [&](auto &passes) { buildAfterPrecision(passes, pipeline); });
  }

  static bool isAt(mlir::ModuleOp module, Level level) {
    return static_cast<bool>(checkLevel(module, "", level));
  }

  Status describeGraph(mlir::ModuleOp module) {
    if (!tellsMetadata() || !isAt(module, Level::graph))
      return success();
    return tell("graph.json", textOf(graphMetadata(mainOf(module), types)));
  }

  bool tellsMetadata() const { return !arguments.metadata.empty() || arguments.keepsMetadata; }

  // Writes a metadata document to the metadata folder and adds it to the program, as far as requested.
  Status tell(const char *name, std::string text) {
    if (!arguments.metadata.empty()) {
      std::error_code error;
      std::filesystem::create_directories(arguments.metadata, error);
      if (error)
        return invalidInput(arguments.metadata,
                            fmt::format("the folder cannot be created: {}", error.message()));
      TILERIG_CHECK_OK(writeText((std::filesystem::path(arguments.metadata) / name).string(), text));
    }
    if (arguments.keepsMetadata) {
      proto::Document document;
      document.set_name(name);
      document.set_media_type("application/json");
      document.set_text(std::move(text));
      documents.push_back(std::move(document));
    }
    return success();
  }

  Status describeLayers(mlir::ModuleOp module) {
    if (!isAt(module, Level::layer)) {
      if (arguments.report)
        return usageError("--report", "lists layers, but this command stops before layers are formed",
                          "leave out --emit, or use --emit layer");
      if (json)
        said = textOf(graphMetadata(mainOf(module), types));
      return success();
    }
    if (arguments.emit == Emit::onnx || arguments.emitsProgram()) {
      TILERIG_TRY(emitted, exported(module, form()));
    }
    const std::vector<Card> cards = cardsOf(mainOf(module), machine);
    Json metadata = layerMetadata(cards, machine, types, emitted ? &*emitted : nullptr);
    if (!notes.empty())
      metadata["notes"] = notes;
    if (!warnings.empty())
      metadata["warnings"] = warnings;
    if (tellsMetadata())
      TILERIG_CHECK_OK(tell("layer.json", textOf(metadata)));
    if (json)
      said = textOf(document = std::move(metadata));
    else
      said = (notes.empty() ? "" : notes + "\n") + linesOf(warnings) +
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
    TILERIG_CHECK_OK(
        checkLevel(module, arguments.model, arguments.emit == Emit::graph ? Level::graph : Level::layer));
    return writeModule(module, arguments.output);
  }

  Status writeProgram(mlir::ModuleOp module) {
    TILERIG_TRY(DeviceNetwork network,
                formDeviceOps(mainOf(module), cardsOf(mainOf(module), machine), *emitted));
    network.name = std::filesystem::path(arguments.model).stem().string();
    nameOperators(types, network);
    const unsigned tiles = arguments.tiles ? arguments.tiles : machine.network.tiles;
    if (tiles > machine.network.tiles)
      return usageError("--tiles", fmt::format("the machine '{}' has only {} tiles, but {} are requested",
                                               machine.name, machine.network.tiles, tiles));
    ProgramOptions options = arguments.program;
    options.tiles = tiles;
    options.strategy = strategy;
    if (arguments.searchBudget > 0) {
      TILERIG_TRY(ProgramSearch search,
                  searchProgram(network, machine, options, arguments.searchBudget, arguments.searchSeed));
      tellSearch(search);
      options = std::move(search.options);
    }
    if (!arguments.inject.empty())
      return writeMutant(network, options);
    TileLevel level;
    TILERIG_TRY(GeneratedProgram generated,
                generateProgram(network, machine, options,
                                arguments.emit == Emit::tile || tellsMetadata() ? &level : nullptr));
    TILERIG_CHECK_OK(tellProgram(network, level, generated));
    if (!arguments.strategyTo.empty())
      TILERIG_CHECK_OK(writeText(arguments.strategyTo, printStrategy(generated.strategy)));
    if (arguments.emit == Emit::cpp)
      return writeText(arguments.output, sessionSource(generated.program, generated.strategy, arguments.model,
                                                       arguments.words));
    if (arguments.emit == Emit::tile)
      return writeTiles(generated.program, level, arguments.output);
    TILERIG_CHECK_OK(writeProgramAs(arguments.programForm(), generated.program, arguments.output));
    return arguments.emit == Emit::program && (arguments.report || !arguments.reportTo.empty())
               ? reportRun(network, options, generated)
               : success();
  }

  // Generates a program with an injected bug. A program that the analyser cannot prove because of the bug is
  // refused, except with --allow-unproved.
  Status writeMutant(const DeviceNetwork &network, const ProgramOptions &options) {
    TILERIG_TRY(const BugChoice choice, parseBugChoice(arguments.inject));
    TILERIG_TRY(MutantProgram mutant,
                generateWithBug(network, machine, options, choice, arguments.injectSeed));
    const std::string text = printBugChoice(mutant.bug.choice);
    const Status proved = prove(mutant.program);
    if (!proved && !arguments.allowUnproved)
      return invalidInput(text, "the analyser detects this bug: " + proved.error().message(),
                          "use --allow-unproved to write the program nevertheless");
    mutant.program.metadata.set_allow_unproved(!proved);
    if (json) {
      document["injected"] = text;
      said = textOf(document);
    } else {
      said += "injected: " + text + "\n";
    }
    return writeProgramAs(arguments.programForm(), mutant.program, arguments.output);
  }

  void tellSearch(const ProgramSearch &search) {
    if (!json) {
      said += describeSearch(search);
      return;
    }
    const SearchOutcome &outcome = search.outcome;
    document["search"] = {{"cycles_before", outcome.cyclesBefore},
                          {"cycles", outcome.cycles},
                          {"tried", outcome.tried},
                          {"refused", outcome.refused},
                          {"dropped", outcome.dropped},
                          {"measured", outcome.measured},
                          {"ddr_reads", search.options.ddrReads},
                          {"prefetch_steps", search.options.prefetchSteps}};
    said = textOf(document);
  }

  // Writes the metadata of levels tile and isa, and the file with the constants, as far as requested.
  Status tellProgram(const DeviceNetwork &network, TileLevel &level, GeneratedProgram &generated) {
    if (tellsMetadata()) {
      TILERIG_CHECK_OK(tell("tile.json", std::move(level.metadata)));
      TILERIG_CHECK_OK(tell("isa.json", isaMetadata(generated)));
    }
    for (proto::Document &protoDocument : documents)
      *generated.program.metadata.add_documents() = std::move(protoDocument);
    if (!arguments.dumpsWeights)
      return success();
    TILERIG_TRY(const TensorMap weights, deviceWeights(network));
    return writeTensors(std::filesystem::path(arguments.output).replace_extension(".wb.npz"), weights);
  }

  // Reports the cost of each layer, measured on the emulator.
  Status reportRun(const DeviceNetwork &network, ProgramOptions options, const GeneratedProgram &program) {
    options.apart = true;
    TILERIG_TRY(const GeneratedProgram apart, generateProgram(network, machine, options));
    TILERIG_TRY(const LayerTable table, measureLayers(arguments.output, program, apart));
    if (!arguments.reportTo.empty())
      TILERIG_CHECK_OK(writeText(arguments.reportTo, asCsv(table)));
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
  PipelineOptions pipeline;
  StrategyFile strategy; // how to split layers, as requested by --strategy
  NodeTypes types;
  std::string notes;                      // notes of the calibration for the user
  std::vector<std::string> warnings;      // layers for which the precision is unsuitable
  std::vector<proto::Document> documents; // metadata to store in the program
  std::optional<ExportedModel> emitted;   // the layers as ONNX, if requested
  Json document;                          // JSON document for standard output
  std::string said;                       // text for standard output
};

} // namespace

Status compileModel(const CompileArguments &arguments, bool json) {
  return Compilation(arguments, json).run();
}

Status compileProgram(const CompileArguments &arguments, bool json) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  TILERIG_TRY(Program program, readProgramText(context, arguments.model,
                                               arguments.from == From::tile ? Level::tile : Level::isa,
                                               arguments.allowUnproved));
  if (arguments.emit)
    TILERIG_CHECK_OK(writeProgramAs(arguments.programForm(), program, arguments.output));
  if (json)
    std::cout << textOf({{"machine", program.machine.name},
                         {"tiles", program.tiles},
                         {"stages", program.stages.size()},
                         {"proved", program.proof.has_value()}});
  return success();
}

} // namespace tilerig::compiler
