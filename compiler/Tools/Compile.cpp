// `tilerig compile`: an ONNX model, or a level that was written before, lowered as far as asked.
#include "compiler/Codegen/AssembleProgram.h"
#include "compiler/Codegen/WriteSession.h"
#include "compiler/Deciding/ApplyPrecision.h"
#include "compiler/Deciding/QuantisedEdges.h"
#include "compiler/Dialect/Graph/Origins.h"
#include "compiler/Export/Export.h"
#include "compiler/Import/Import.h"
#include "compiler/Import/UnusedConstants.h"
#include "compiler/Listing/Listing.h"
#include "compiler/Listing/Metadata.h"
#include "compiler/Passes/Passes.h"
#include "compiler/Passes/Pipelines.h"
#include "compiler/Report/RunProgram.h"
#include "compiler/Tools/ModuleText.h"
#include "compiler/Tools/ProgramForms.h"
#include "compiler/Works/FormWorks.h"
#include "isa/Support/File.h"
#include "isa/Tools/CommandLine.h"

#include <charconv>
#include <filesystem>
#include <fmt/core.h>
#include <iostream>
#include <llvm/Support/raw_ostream.h>
#include <mlir/Pass/PassManager.h>
#include <mlir/Transforms/Passes.h>
#include <mutex>
#include <nlohmann/json.hpp>

namespace tilerig {

namespace {

using Module = mlir::OwningOpRef<mlir::ModuleOp>;
using Json = nlohmann::json;

enum class Emit { graph, layer, onnx, program, cpp, tile, isa, assembly };
enum class From { onnx, graph, layer, tile, isa };

struct CompileArguments {
  std::string model, output, passes, machine = "tr64", metadata, strategy, strategyTo, reportTo;
  std::optional<Emit> emit;
  std::optional<OnnxForm> form;
  From from = From::onnx;
  bool allowUnproved = false;
  bool report = false;
  ProgramOptions program;
  unsigned tiles = 0;                   // all that the machine has
  std::vector<std::string> inputShapes; // NAME=1x3x224x224
  QuantisedEdges edges;
  PrecisionOptions precision;
  std::vector<std::string> words; // of the command line, as far as they say how to compile

  bool isFromProgram() const { return from >= From::tile; }
  // In whatever form.
  bool emitsProgram() const { return emit && *emit >= Emit::program; }
  ProgramForm programForm() const {
    return emit == Emit::isa        ? ProgramForm::isa
           : emit == Emit::assembly ? ProgramForm::assembly
                                    : ProgramForm::file;
  }
};

Result<ImportOptions> importOptions(const CompileArguments &arguments) {
  ImportOptions options;
  for (const std::string &text : arguments.inputShapes) {
    const size_t equals = text.rfind('=');
    Shape shape;
    const char *at = text.data() + equals + 1, *const end = text.data() + text.size();
    for (bool more = equals != std::string::npos && equals > 0; more;) {
      int64_t size = 0;
      const auto [next, error] = std::from_chars(at, end, size);
      if (error != std::errc() || size < 1 || (next != end && (*next != 'x' || next + 1 == end)))
        return usageError("--input-shape", fmt::format("'{}' is not NAME=1x3x224x224", text));
      shape.push_back(size);
      more = next != end;
      at = next + 1;
    }
    if (shape.empty())
      return usageError("--input-shape", fmt::format("'{}' is not NAME=1x3x224x224", text));
    options.inputShapes[text.substr(0, equals)] = shape;
  }
  return options;
}

// --- Passes: one that gives up says why, at a node ---

class Passes {
public:
  Passes(mlir::ModuleOp module, const std::string &model)
      : module(module), model(model), manager(module.getContext()),
        handler(module.getContext(), [this](mlir::Diagnostic &diagnostic) { hear(diagnostic); }) {}

  // What the user asks for by name, as tilerig-opt takes it.
  Status add(const std::string &pipeline) {
    registerOnce();
    llvm::raw_string_ostream stream(said);
    if (mlir::failed(mlir::parsePassPipeline(pipeline, manager, stream)))
      return usageError("--passes", said.substr(0, said.find('\n')), "tilerig-opt --help lists the passes");
    return success();
  }
  Status add(void (*build)(mlir::OpPassManager &)) {
    build(manager);
    return success();
  }
  Status run() { return mlir::failed(manager.run(module)) ? Status(unsupported(model, said)) : success(); }

private:
  static void registerOnce() {
    static std::once_flag flag;
    std::call_once(flag, [] {
      registerPasses();
      registerPipelines();
      mlir::registerTransformsPasses();
    });
  }
  void hear(mlir::Diagnostic &diagnostic) {
    const std::string node = graph::nodeName(diagnostic.getLocation());
    said += fmt::format("{}{}{}", said.empty() ? "" : "; ",
                        node.empty() ? "" : fmt::format("node '{}': ", node), diagnostic.str());
  }

  mlir::ModuleOp module;
  const std::string &model;
  std::string said;
  mlir::PassManager manager;
  mlir::ScopedDiagnosticHandler handler;
};

template <class What>
Status runPasses(mlir::ModuleOp module, const std::string &model, const What &what) {
  Passes passes(module, model);
  CHECK_OK(passes.add(what));
  return passes.run();
}

// --- What is written besides the result ---

mlir::func::FuncOp mainOf(mlir::ModuleOp module) { return module.lookupSymbol<mlir::func::FuncOp>("main"); }

// Unnamed nodes have the names that the import gives them.
NodeTypes nodeTypes(const OnnxFile &file) {
  NodeTypes types;
  const onnx::GraphProto &graph = file.model().graph();
  for (int i = 0; i < graph.node_size(); ++i) {
    const onnx::NodeProto &node = graph.node(i);
    types[node.name().empty() ? fmt::format("{}#{}", node.op_type(), i) : node.name()] = node.op_type();
  }
  return types;
}

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
    types = nodeTypes(file);
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

// --- From the text of a program ---

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

// The words of a command line without those that say what is read and written: how a session compiles again.
std::vector<std::string> howToCompile(int argc, char **argv, const std::string &model) {
  constexpr std::array<std::string_view, 7> withValue = {
      "--emit", "-o", "--output", "--strategy", "--metadata", "--strategy-to", "--onnx-form"};
  constexpr std::array<std::string_view, 2> flags = {"--json", "--report"};
  std::vector<std::string> words;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const std::string name = word.substr(0, word.find('='));
    if (std::ranges::find(withValue, name) != withValue.end())
      i += name == word; // its value is the next word, or in this one
    else if (std::ranges::find(flags, word) == flags.end() && word != model)
      words.push_back(word);
  }
  return words;
}

// Of the options, those that texts of programs leave open.
bool concernsPrograms(const std::string &option) {
  constexpr std::array<std::string_view, 6> names = {"MODEL",  "--output", "--emit",
                                                     "--from", "--json",   "--allow-unproved"};
  return std::ranges::find(names, option) != names.end();
}

Result<ExitCode> compile(const CompileArguments &arguments, bool json) {
  if (arguments.emit.has_value() != !arguments.output.empty())
    return usageError("--emit", "says what -o is to hold; neither goes without the other");
  if (!arguments.emit && !arguments.report && arguments.metadata.empty() && !json)
    return usageError("tilerig compile", "nothing is asked for",
                      "say --emit LEVEL -o FILE, --report or --metadata DIR");
  if (arguments.isFromProgram()) {
    if (arguments.emit && (!arguments.emitsProgram() || arguments.emit < Emit::isa) &&
        arguments.emit != Emit::program)
      return usageError("--emit", "a program does not become layers, tasks or a session again",
                        "say --emit isa, --emit asm or --emit program");
    CHECK_OK(compileProgram(arguments, json));
    return ExitCode::done;
  }
  if (arguments.allowUnproved)
    return usageError("--allow-unproved", "is about texts of programs; what is compiled of a model is proved",
                      "say --from tile or --from isa");
  if (arguments.from != From::onnx && !arguments.inputShapes.empty())
    return usageError("--input-shape", "shapes are those of the text",
                      "give them when compiling the ONNX model");
  if (arguments.form && arguments.emit != Emit::onnx)
    return usageError("--onnx-form", "says how ONNX is written, and none is", "say --emit onnx");
  if (arguments.from == From::layer && arguments.emit == Emit::graph)
    return usageError("--emit", "layers do not become a graph again");
  if (!arguments.precision.precision.empty() && arguments.emit == Emit::graph)
    return usageError("--precision", "is decided of layers, and this stops at the graph", "say --emit layer");
  if (!arguments.reportTo.empty() && arguments.emitsProgram() && arguments.emit != Emit::program)
    return usageError("--report-to", "tells what a program file takes, and none is written",
                      "say -o model.trb, without --emit");
  if (!arguments.emitsProgram())
    for (const auto &[name, isGiven] : {std::pair{"--strategy", !arguments.strategy.empty()},
                                        {"--strategy-to", !arguments.strategyTo.empty()},
                                        {"--report-to", !arguments.reportTo.empty()},
                                        {"--tiles", arguments.tiles > 0}})
      if (isGiven)
        return usageError(name, "is about programs", "say -o model.trb, without --emit");
  if (!arguments.reportTo.empty()) { // written last; nobody should wait for nothing
    TRY([[maybe_unused]] const OutputFile file, OutputFile::create(arguments.reportTo));
  }
  CHECK_OK(Compilation(arguments, json).run());
  return ExitCode::done;
}

} // namespace

} // namespace tilerig

int main(int argc, char **argv) {
  using namespace tilerig;
  CommandLine line(
      command("compile"),
      "tilerig compile model.onnx --emit graph -o model.mlir\n"
      "tilerig compile model.onnx --precision int8 -o model.trb\n"
      "tilerig compile model.onnx --report --metadata about\n"
      "tilerig compile model.onnx --precision int8 -o model.trb --report --report-to layers.csv\n"
      "tilerig compile model.mlir --from graph --emit layer -o layers.mlir\n"
      "tilerig compile model.onnx --emit tile -o tasks.mlir\n"
      "tilerig compile model.onnx --emit isa -o program.mlir\n"
      "tilerig compile program.mlir --from isa -o model.trb\n"
      "tilerig compile model.onnx --input-shape x=1x3x224x224 --emit onnx -o "
      "plain.onnx");
  CompileArguments arguments;
  CLI::App &options = line.options();
  options.add_option("MODEL", arguments.model, "the model (.onnx), or a text for --from")->required();
  options.add_option("-o,--output", arguments.output, "where to write the result");
  options
      .add_option("--emit", arguments.emit,
                  "how far to go: graph, layer, onnx, cpp (a session to start from), tile (tasks of tiles), "
                  "isa (instructions), asm "
                  "(instructions as `tilerig disasm` "
                  "shows them) or program (which -o alone means)")
      ->transform(CLI::CheckedTransformer(std::map<std::string, Emit>{{"graph", Emit::graph},
                                                                      {"layer", Emit::layer},
                                                                      {"onnx", Emit::onnx},
                                                                      {"cpp", Emit::cpp},
                                                                      {"tile", Emit::tile},
                                                                      {"isa", Emit::isa},
                                                                      {"asm", Emit::assembly},
                                                                      {"program", Emit::program}}));
  options
      .add_option(
          "--onnx-form", arguments.form,
          "how --emit onnx states what is quantised: exact (the device's arithmetic, the default), or qdq "
          "(float operators between QuantizeLinear and DequantizeLinear, for other tools)")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, OnnxForm>{{"exact", OnnxForm::exact}, {"qdq", OnnxForm::qdq}}));
  options
      .add_option("--from", arguments.from,
                  "what MODEL is: onnx, or a text of level graph, layer, tile or isa")
      ->transform(CLI::CheckedTransformer(std::map<std::string, From>{{"onnx", From::onnx},
                                                                      {"graph", From::graph},
                                                                      {"layer", From::layer},
                                                                      {"tile", From::tile},
                                                                      {"isa", From::isa}}));
  options.add_flag(
      "--allow-unproved", arguments.allowUnproved,
      "with --from tile or isa: also a program that the analyser does not prove; it runs in timed mode only");
  options.add_option("--passes", arguments.passes,
                     "passes to run in place of our own, as \"func.func(fold-constants,fold-batch-norm)\"");
  options.add_option("--input-shape", arguments.inputShapes, "NAME=1x3x224x224: the shape of an input");
  arguments.precision.precision.clear();
  options.add_option("--precision", arguments.precision.precision,
                     "fp32, fp16, bf16, int8, uint8 or a file with one for each layer");
  options.add_option("--calibration", arguments.precision.calibration,
                     "samples (.npz, or a folder of them) or a saved table (.json)");
  options.add_option("--calibration-table", arguments.precision.tableFile,
                     "where to save the table of the calibration (.json)");
  const std::map<std::string, QuantisedType> integers = {{"int8", QuantisedType::int8},
                                                         {"uint8", QuantisedType::uint8}};
  options
      .add_option("--quantised-inputs", arguments.edges.inputs,
                  "float inputs are handed over as int8 or uint8, converted by the host")
      ->transform(CLI::CheckedTransformer(integers));
  options
      .add_option("--quantised-outputs", arguments.edges.outputs,
                  "float outputs are given back as int8 or uint8, converted by the host")
      ->transform(CLI::CheckedTransformer(integers));
  options.add_flag("--report", arguments.report,
                   "print which layers there are, what runs where and why; with -o model.trb also run it on "
                   "the emulator, and print what each layer costs and should");
  options.add_option("--report-to", arguments.reportTo, "where to write what each layer costs (.csv)");
  options.add_option("--metadata", arguments.metadata, "folder for graph.json and layer.json");
  options
      .add_option("--tiles", arguments.tiles,
                  "how many tiles the program uses; all of the machine's unless given")
      ->check(CLI::Range(1U, maxTiles));
  options
      .add_option(
          "--order", arguments.program.order,
          "in which order a tile's instructions stand: listed (work by work), interleaved or reordered (by "
          "estimated time, the default)")
      ->transform(
          CLI::CheckedTransformer(std::map<std::string, OrderMode>{{"listed", OrderMode::listed},
                                                                   {"interleaved", OrderMode::interleaved},
                                                                   {"reordered", OrderMode::reordered}}));
  options.add_flag("--wb-pin-ocm", arguments.program.pinsWeights,
                   "weights and biases are loaded once, before the first inference, and stay on the tiles");
  options.add_option("--prefetch", arguments.program.prefetchTurns,
                     "how many steps before its use a constant may be loaded, if there is room");
  options.add_option(
      "--ddr-reads", arguments.program.ddrReads,
      "how many reads of DDR may be on their way at a time, the most urgent ones first; 0: any number");
  options.add_flag("--apart", arguments.program.apart,
                   "every layer in a stage of its own, so that each has the machine for itself: what does a "
                   "layer cost?");
  options.add_option("--strategy", arguments.strategy,
                     "how layers are to be cut (.json), as --strategy-to writes it");
  options.add_option("--strategy-to", arguments.strategyTo, "where to write how layers were cut");
  options.add_option("--machine", arguments.machine,
                     "the machine that times are estimated for: tr64, or a file");
  return line.run(argc, argv, [&] {
    if (!arguments.emit && !arguments.output.empty())
      arguments.emit = Emit::program;
    arguments.words = howToCompile(argc, argv, arguments.model);
    if (arguments.isFromProgram())
      for (const CLI::Option *option : options.get_options())
        if (option->count() > 0 && !concernsPrograms(option->get_name()))
          return Result<ExitCode>(usageError(option->get_name(), "was decided when the text was written",
                                             "give it when compiling the ONNX model"));
    if (arguments.emitsProgram() && arguments.precision.precision.empty() && arguments.from != From::layer &&
        !arguments.isFromProgram())
      arguments.precision.precision = "fp32";
    return compile(arguments, line.json());
  });
}
