#include "compiler/Tools/Compilation.h"

#include "compiler/Inject/Passes/InjectIntoPass.h"
#include "compiler/Inject/Program/InjectBug.h"
#include "compiler/Pipelines/NodeTypes.h"
#include "compiler/Pipelines/PassInstruments.h"
#include "compiler/Pipelines/ProgramPasses.h"
#include "compiler/Pipelines/ResolvePasses.h"
#include "compiler/Pipelines/RunPasses.h"
#include "compiler/Pipelines/TooLargeLayers.h"
#include "compiler/Processes/ScratchFolder.h"
#include "compiler/Reports/Cost/RunProgram.h"
#include "compiler/Reports/Layers/Listing.h"
#include "compiler/Reports/Layers/Metadata.h"
#include "compiler/Tile/Emit/DeviceWeights.h"
#include "compiler/Tile/Emit/TileMetadata.h"
#include "compiler/Tile/FromLayer/FormDeviceOps.h"
#include "compiler/Tools/ModuleText.h"
#include "compiler/Tools/SearchProgram.h"
#include "compiler/Tools/ShapeChoices.h"
#include "compiler/Tools/WriteSession.h"
#include "isa/Analyser/Analyser.h"
#include "isa/Base/Support/File.h"
#include "isa/Base/Support/Json.h"
#include "isa/Base/Support/Printable.h"
#include "isa/Base/Tensor/TensorFiles.h"
#include "isa/Bugs/Binary.h"
#include "isa/Program/ProgramSet.h"

#include <filesystem>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <iostream>

namespace tilerig::compiler {

namespace {

using Module = mlir::OwningOpRef<mlir::ModuleOp>;
using Json = nlohmann::json;

mlir::func::FuncOp mainOf(mlir::ModuleOp module) { return module.lookupSymbol<mlir::func::FuncOp>("main"); }

std::string textOf(const Json &document) {
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string linesOf(const PipelineNotes &notes) {
  std::string lines = notes.precision.calibration.empty() ? "" : notes.precision.calibration + "\n";
  for (const std::string &warning : notes.warnings)
    lines += "warning: " + printable(warning) + "\n";
  for (const std::string &remark : notes.remarks)
    lines += "remark: " + printable(remark) + "\n";
  return lines;
}

void addNotes(const PipelineNotes &notes, Json &metadata) {
  if (!notes.precision.calibration.empty())
    metadata["notes"] = notes.precision.calibration;
  if (!notes.warnings.empty())
    metadata["warnings"] = notes.warnings;
  if (!notes.remarks.empty())
    metadata["remarks"] = notes.remarks;
}

class Compilation {
public:
  Compilation(const CompileArguments &arguments, bool json, TooLargeLayers &tooLarge)
      : arguments(arguments), json(json), tooLarge(tooLarge),
        instruments(arguments.passes.debugging, context, llvm::errs()) {}

  // Returns the text for standard output, which the caller prints once nothing can fail any more. Returns nullopt if
  // a layer is too large for a tile and has been added to `tooLarge`, so that the model must be compiled again.
  Result<std::optional<std::string>> run() {
    TILERIG_CHECK_OK(instruments.check());
    const Status done = compile();
    // even if compiling failed, passes are reported: remarks and times may show the cause
    instruments.report();
    if (!done && mustCompileAgain)
      return std::optional<std::string>();
    TILERIG_CHECK_OK(done);
    return std::optional(std::move(said));
  }

private:
  Status compile() {
    TILERIG_CHECK_OK(choosePipeline());
    TILERIG_TRY(const Module module, injectsIntoPass() ? lowerWithBug() : lower());
    TILERIG_CHECK_OK(describe(*module));
    const mlir::TimingScope writing = instruments.time("generate and write the result");
    return write(*module);
  }

  OnnxForm form() const { return arguments.form.value_or(OnnxForm::exact); }

  // The form qdq of an ONNX model is for other tools, which have no 9-bit integers. So layers may use 9-bit
  // integers only with the form exact.
  PrecisionOptions precision() const {
    PrecisionOptions options = arguments.precision;
    options.allowsNineBits = form() == OnnxForm::exact;
    return options;
  }

  Status choosePipeline() {
    TILERIG_TRY(Machine machine, loadMachine(arguments.machine));
    StrategyFile strategy;
    if (!arguments.strategy.empty()) {
      TILERIG_TRY(strategy, readStrategy(arguments.strategy));
    }
    if (!arguments.inject.empty()) {
      TILERIG_TRY(injection, parseBugChoice(arguments.inject));
    }
    TILERIG_TRY(pipeline, resolvePasses(arguments.passes));
    // An injected bug may make the module invalid: the verifier then reports it before a later pass crashes.
    pipeline.verifiesEach = pipeline.verifiesEach || injectsIntoPass();
    pipeline.model = arguments.model;
    pipeline.maxLayers = arguments.maxLayers;
    pipeline.saved = arguments.saved;
    if (arguments.decidesPrecision())
      pipeline.precision = precision();
    pipeline.notes = &notes;
    pipeline.instruments = &instruments;
    pipeline.edges = arguments.edges;
    ProgramOptions program = arguments.program;
    program.tiles = arguments.tiles ? arguments.tiles : machine.network.tiles;
    program.strategy = std::move(strategy);
    pipeline.tiles = {.name = std::filesystem::path(arguments.model).stem().string(),
                      .machine = std::move(machine),
                      .program = std::move(program)};
    return success();
  }

  Result<Module> read() {
    if (arguments.from == From::graph)
      return readModule(context, arguments.model, Level::graph);
    if (arguments.from == From::layer)
      return readModule(context, arguments.model, Level::layer);
    TILERIG_TRY(ImportOptions options, importOptions(arguments));
    options.batch = arguments.batch;
    options.tooLarge = tooLarge.nodes();
    TILERIG_TRY(const OnnxFile file, OnnxFile::read(arguments.model));
    pipeline.tiles.nodeTypes = nodeTypesOf(file);
    return importModel(context, file, options);
  }

  // Reads the model, and runs the pipeline's phases down to the level that the requested outputs need.
  Result<Module> lower(const PreparePasses &prepare = {}) {
    notes = {};
    notes.warnings = tooLarge.warnings();
    graphDocument.clear();
    mlir::TimingScope reading = instruments.time("read the model");
    TILERIG_TRY(Module module, read());
    reading.stop();
    TILERIG_CHECK_OK(runPhases(*module, prepare));
    return module;
  }

  Status runPhases(mlir::ModuleOp module, const PreparePasses &prepare) {
    PipelineRun phases(module, pipeline, prepare);
    if (arguments.makesLayers() || !pipeline.graphPasses.empty())
      TILERIG_CHECK_OK(phases.run(PipelinePhase::graph));
    if (tellsMetadata() && isAt(module, Level::graph))
      graphDocument = textOf(graphMetadata(mainOf(module), pipeline.tiles.nodeTypes));
    if (arguments.makesLayers())
      TILERIG_CHECK_OK(phases.run(PipelinePhase::layers));
    if (arguments.maxLayers || !arguments.saved.empty())
      TILERIG_CHECK_OK(checkLevel(module, arguments.model, Level::layer));
    TILERIG_CHECK_OK(phases.run(PipelinePhase::precision));
    return isAt(module, Level::layer) ? phases.run(PipelinePhase::places) : success();
  }

  bool injectsIntoPass() const { return injection && injection->bug->isInPass(); }

  // Reads the model and runs the phases of the pipeline, as lower() does, but injects a bug into one of the
  // passes.
  Result<Module> lowerWithBug() {
    RewriteObservers observers(context);
    Module module;
    const auto compile = [&](PassBugInjector &injector) -> Status {
      pipeline.instruments = injector.isCollecting() ? nullptr : &instruments;
      TILERIG_TRY(module, lower([&](mlir::PassManager &manager) { injector.follow(manager); }));
      return success();
    };
    TILERIG_TRY(PassInjection done, injectIntoPass(*injection, arguments.injectSeed, observers, compile));
    const std::string text = printBugChoice(done.injected.bug.choice);
    if (!done.compiled)
      return done.compiled.error().within(fmt::format("{} in pass {}", text, done.injected.pass));
    passBug = std::move(done.injected);
    return module;
  }

  static bool isAt(mlir::ModuleOp module, Level level) {
    return static_cast<bool>(checkLevel(module, "", level));
  }

  Status describe(mlir::ModuleOp module) {
    if (!graphDocument.empty())
      TILERIG_CHECK_OK(tell("graph.json", std::move(graphDocument)));
    TILERIG_CHECK_OK(describeLayers(module));
    if (passBug)
      tellInjected(passBug->bug);
    return success();
  }

  bool tellsMetadata() const { return !arguments.metadata.empty() || arguments.keepsMetadata; }

  // Writes a metadata document to the folder of --metadata, and stores it in the program with --new_metadata.
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
        return usageError("--report",
                          "this option lists layers, but this command stops before layers are formed",
                          "leave out --emit, or use --emit layer");
      if (json)
        said = textOf(document = graphMetadata(mainOf(module), pipeline.tiles.nodeTypes));
      else
        said = linesOf(notes);
      return success();
    }
    std::optional<TensorNames> names;
    if (arguments.emit == Emit::onnx) {
      TILERIG_TRY(emitted, exported(module, form(), ConstantStorage::external));
      names = *emitted;
    } else if (arguments.emitsProgram()) {
      TILERIG_TRY(names, exportedNames(module));
    }
    const Machine &machine = pipeline.tiles.machine;
    const std::vector<Card> cards = cardsOf(mainOf(module), machine);
    Json metadata = layerMetadata(cards, machine, pipeline.tiles.nodeTypes, names ? &*names : nullptr);
    addNotes(notes, metadata);
    if (tellsMetadata())
      TILERIG_CHECK_OK(tell("layer.json", textOf(metadata)));
    if (json)
      said = textOf(document = std::move(metadata));
    else
      said = linesOf(notes) + (arguments.report ? partitionReport(cards) + "\n" + listing(cards) : "");
    return success();
  }

  Status write(mlir::ModuleOp module) {
    if (!arguments.emit)
      return success();
    if (arguments.emitsProgram())
      return writeProgram(module);
    if (emitted)
      return writeModel(*emitted, arguments.output);
    if (arguments.emit == Emit::onnx)
      return exportModel(module, arguments.output, form());
    TILERIG_CHECK_OK(
        checkLevel(module, arguments.model, arguments.emit == Emit::graph ? Level::graph : Level::layer));
    return writeModule(module, arguments.output);
  }

  Status writeProgram(mlir::ModuleOp module) {
    TILERIG_TRY(const DeviceNetwork network, formDeviceOps(module, pipeline.tiles));
    const Status written = writeProgram(network);
    mustCompileAgain = !written && arguments.from == From::onnx && tooLarge.add(network, pipeline);
    return written;
  }

  Status writeProgram(const DeviceNetwork &network) {
    const Machine &machine = pipeline.tiles.machine;
    ProgramOptions options = pipeline.tiles.program;
    options.plansRun = arguments.emit == Emit::program && !passBug && !hasProgramPasses(pipeline);
    if (arguments.searchBudget > 0) {
      TILERIG_TRY(ProgramSearch search,
                  searchProgram(network, machine, options, arguments.searchBudget, arguments.searchSeed));
      tellSearch(search);
      options = std::move(search.options);
    }
    if (injection && !passBug)
      return writeMutant(network, options);
    TileLevel level;
    TILERIG_TRY(GeneratedProgram generated,
                generateProgram(network, machine, options,
                                arguments.emit == Emit::tile || tellsMetadata() || hasProgramPasses(pipeline)
                                    ? &level
                                    : nullptr));
    if (passBug)
      noteBug(passBug->bug, generated.program);
    if (arguments.emit == Emit::tile && hasProgramPasses(pipeline))
      return writeChangedTasks(generated.program, level);
    if (passBug || hasProgramPasses(pipeline))
      TILERIG_CHECK_OK(finishProgram(level, generated.program));
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

  // Runs the passes that the user inserted on the program, and proves the program free of races and deadlocks
  // again.
  Status finishProgram(const TileLevel &level, Program &program) {
    if (hasProgramPasses(pipeline)) {
      TILERIG_TRY(program, runProgramPasses(context, program, level, pipeline));
    }
    program.metadata.clear_allow_unproved();
    if (const Status proved = prove(program); !proved)
      return invalidInput(arguments.model,
                          "after the inserted passes, the analyser cannot prove the program free of races, "
                          "deadlocks and uninitialised reads: " +
                              proved.error().message(),
                          "use tilerig check --after-each-pass to find the wrong pass");
    return success();
  }

  Status writeChangedTasks(const Program &program, const TileLevel &level) {
    TILERIG_TRY(const Module module, runTaskPasses(context, program, level, pipeline));
    return writeModule(*module, arguments.output);
  }

  // Generates a program with an injected bug. If the bug prevents the analyser from proving the program free
  // of races, the program is refused, except with --allow-unproved.
  Status writeMutant(const DeviceNetwork &network, const ProgramOptions &options) {
    TILERIG_TRY(MutantProgram mutant, generateWithBugs(network, pipeline.tiles.machine, options,
                                                       {&*injection, 1}, {&arguments.injectSeed, 1}));
    const Status proved = prove(mutant.program);
    if (!proved && !arguments.allowUnproved)
      return invalidInput(printBugChoice(mutant.bugs.front().choice),
                          "because of the bug, the program cannot be proved free of races: " +
                              proved.error().message(),
                          "use --allow-unproved to write the program nevertheless");
    mutant.program.metadata.set_allow_unproved(!proved);
    tellInjected(mutant.bugs.front());
    return writeProgramAs(arguments.programForm(), mutant.program, arguments.output);
  }

  void tellInjected(const InjectedBug &bug) {
    const std::string text = printBugChoice(bug.choice);
    if (json) {
      document["injected"] = text;
      said = textOf(document);
    } else {
      said += "injected: " + text + "\n";
    }
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
                          {"ddr_reads", search.options.ddrReads ? Json(*search.options.ddrReads) : Json()},
                          {"prefetch_steps", search.options.prefetchSteps}};
    said = textOf(document);
  }

  // Writes the metadata of levels tile and isa, and the file with the constants (--dump_wb), if requested.
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
    TILERIG_TRY(const GeneratedProgram apart, generateProgram(network, pipeline.tiles.machine, options));
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
  TooLargeLayers &tooLarge;
  bool mustCompileAgain = false; // because a layer has been added to `tooLarge`
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  PipelineOptions pipeline;
  PassInstruments instruments;
  PipelineNotes notes;
  std::optional<BugChoice> injection;     // bug to inject
  std::optional<InjectedPassBug> passBug; // bug that was injected into a pass
  std::string graphDocument;              // text of graph.json, if requested
  std::vector<proto::Document> documents; // metadata documents to store in the program
  std::optional<ExportedModel> emitted;   // the layers as an ONNX model, if requested
  Json document;                          // JSON document to print on standard output
  std::string said;                       // other text to print on standard output
};

} // namespace

namespace {

Result<std::string> compiled(const CompileArguments &arguments, bool json) {
  TooLargeLayers tooLarge;
  while (true) {
    Result<std::optional<std::string>> said = Compilation(arguments, json, tooLarge).run();
    if (!said)
      return tooLarge.explained(std::move(said).error());
    if (*said)
      return **std::move(said);
    if (arguments.passes.debugging.isUsed())
      std::cerr << printable("compiling again, as " + tooLarge.warnings().back()) << "\n";
  }
}

// Compiles a program for each choice of shapes, and writes them to one file.
Status compileForShapes(const CompileArguments &arguments,
                        const std::vector<std::vector<std::string>> &choices, bool json) {
  TILERIG_TRY(const ScratchFolder folder, ScratchFolder::create());
  std::vector<std::string> programs;
  Json documents = Json::array();
  std::string texts;
  for (const std::vector<std::string> &shapes : choices) {
    CompileArguments one = arguments;
    one.inputShapes = shapes;
    one.output = programs.emplace_back(fmt::format("{}/{}.trb", folder.path(), programs.size() + 1));
    const std::string name = fmt::format("{}", fmt::join(shapes, " "));
    auto said = compiled(one, json);
    if (!said)
      return said.error().within(name);
    if (json)
      documents.push_back(Json::parse(*said));
    else
      texts += fmt::format("{}\n{}", printable(name), *said);
  }
  TILERIG_CHECK_OK(writeProgramSet(programs, arguments.output));
  std::cout << (json ? textOf({{"programs", std::move(documents)}}) : texts);
  return success();
}

} // namespace

Status compileModel(const CompileArguments &arguments, bool json) {
  TILERIG_TRY(const auto choices, shapeChoices(arguments.inputShapes));
  if (choices.size() > 1)
    return compileForShapes(arguments, choices, json);
  TILERIG_TRY(const std::string said, compiled(arguments, json));
  std::cout << said;
  return success();
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
