#include "compiler/Tools/CompileArguments.h"

#include "compiler/Planning/Quantisation/PrecisionPlan.h"
#include "compiler/Tools/PassArguments.h"
#include "compiler/Tools/ShapeChoices.h"
#include "isa/Base/CommandLine/IdleOptions.h"
#include "isa/Base/Support/Nearest.h"
#include "isa/Base/Support/Writable.h"
#include "isa/Bugs/Choice.h"

#include <charconv>
#include <fmt/core.h>

namespace tilerig::compiler {

namespace {

constexpr std::array<std::string_view, 15> targetFlags = {
    "max_layer",  "quantize", "arch",         "inp_quantized_to",      "out_dequantized_from",
    "num_tiles",  "ocm_base", "ocm_size",     "dram_addr_relocatable", "future-be",
    "wb_pin_ocm", "dump_wb",  "new_metadata", "ext_strategy_file",     "batch"};

// The options of the command line, without those that name input files, output files or what to print. The
// C++ program that --emit cpp writes (a session) repeats the compilation with these options.
std::vector<std::string> howToCompile(int argc, char **argv, const std::string &model) {
  constexpr std::array<std::string_view, 14> withValue = {"--emit",
                                                          "-o",
                                                          "--output",
                                                          "--strategy",
                                                          "--ext_strategy_file",
                                                          "--metadata",
                                                          "--strategy-to",
                                                          "--onnx-form",
                                                          "--mlir-print-ir-before",
                                                          "--mlir-print-ir-after",
                                                          "--mlir-print-ir-tree-dir",
                                                          "--mlir-pass-pipeline-crash-reproducer",
                                                          "--remarks",
                                                          "--remarks-filter"};
  constexpr std::array<std::string_view, 9> flags = {"--json",
                                                     "--report",
                                                     "--dump_wb",
                                                     "--mlir-print-ir-before-all",
                                                     "--mlir-print-ir-after-all",
                                                     "--mlir-print-ir-after-change",
                                                     "--mlir-timing",
                                                     "--mlir-pass-statistics",
                                                     "--verify-each"};
  std::vector<std::string> words;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const std::string name = word.substr(0, word.find('='));
    if (std::ranges::find(withValue, name) != withValue.end())
      i += name == word; // the next word on the command line is the value of the option
    else if (std::ranges::find(flags, word) == flags.end() && word != model)
      words.push_back(word);
  }
  return words;
}

// Whether an option can be used when the input is an MLIR text of level tile or isa.
bool concernsPrograms(const std::string &option) {
  constexpr std::array<std::string_view, 6> names = {"MODEL",  "--output", "--emit",
                                                     "--from", "--json",   "--allow-unproved"};
  return std::ranges::find(names, option) != names.end();
}

// Checks the options for compiling an MLIR text of level tile or isa, the text of a program.
Status checkForPrograms(const CompileArguments &arguments, const CommandOptions &options) {
  for (const GivenOption &option : options.givenOptions())
    if (!concernsPrograms(option.name))
      return usageError(
          option.name,
          "this option has no effect on the text of a program: its value was fixed when the text was written",
          "use this option when compiling the ONNX model");
  if (arguments.emit && (!arguments.emitsProgram() || arguments.emit < Emit::isa) &&
      arguments.emit != Emit::program)
    return usageError("--emit",
                      "the text of a program cannot be converted back to a graph, layers, tasks, ONNX or a "
                      "C++ program",
                      "use --emit isa, --emit asm or --emit program");
  return success();
}

// Checks whether the bug that --inject requests can affect the requested outputs. A bug of a pass affects all
// outputs. Any other bug is injected only into the program, so outputs that describe the program without the
// bug are refused.
Status checkInjection(const CompileArguments &arguments) {
  TILERIG_TRY(const BugChoice choice, parseBugChoice(arguments.inject));
  if (choice.bug->stage == BugStage::hardware)
    return usageError("--inject", "this is a bug of the hardware, which cannot be compiled into a program",
                      "use this bug with tilerig check --inject, or run a program with tilerig run --fault");
  if (choice.bug->isInPass())
    return success();
  const bool isProgram =
      arguments.emit == Emit::program || arguments.emit == Emit::isa || arguments.emit == Emit::assembly;
  if (!isProgram || arguments.report || !arguments.reportTo.empty() || !arguments.metadata.empty() ||
      !arguments.strategyTo.empty() || arguments.keepsMetadata || arguments.dumpsWeights)
    return usageError(
        "--inject",
        "this bug can only be injected into a program; a report, metadata, a strategy file or a weights file "
        "would be that of the program without the bug",
        "use -o model.trb, optionally with --emit isa or --emit asm, and no other output");
  return success();
}

using IdleOptions = std::vector<IdleOption>;

// If the command writes no program, refuses options that have an effect only on programs.
void addIdleBeforePrograms(const CompileArguments &arguments, IdleOptions &rules) {
  for (const char *option : {"--strategy",
                             "--strategy-to",
                             "--report-to",
                             "--tiles",
                             "--search",
                             "--search-seed",
                             "--wb-pin-ocm",
                             "--order",
                             "--prefetch",
                             "--ddr-reads",
                             "--ddr-write-bytes",
                             "--no-fusion-blocks",
                             "--stagger",
                             "--images",
                             "--redundant-syncs",
                             "--apart",
                             "--ocm_base",
                             "--ocm_size",
                             "--dram_addr_relocatable",
                             "--dump_wb",
                             "--new_metadata"})
    rules.push_back({option, !arguments.emitsProgram(),
                     "this option has an effect only on programs, but this command writes none",
                     "use -o model.trb without --emit"});
}

void addIdleBeforeLayers(const CompileArguments &arguments, IdleOptions &rules) {
  for (const char *option : {"--precision", "--calibration", "--calibration-table", "--quantised-inputs",
                             "--quantised-outputs", "--max_layer", "--save"})
    rules.push_back(
        {option, arguments.emit == Emit::graph,
         "this option has an effect only on layers, but --emit graph stops before layers are formed",
         "use --emit layer"});
  // Which layers run on the host depends on the machine, so the option --machine also affects level `layer`.
  rules.push_back(
      {"--machine", arguments.emit == Emit::graph,
       "this option has an effect only on layers and programs, but --emit graph stops before layers are "
       "formed",
       "use --emit layer"});
}

// If the input is an MLIR text, refuses options that concern reading an ONNX model, or the passes that form
// layers from a model.
void addIdleBehindTexts(const CompileArguments &arguments, IdleOptions &rules) {
  const bool isText = arguments.from != From::onnx;
  for (const char *option : {"--input-shape", "--batch"})
    rules.push_back({option, isText,
                     "this option has no effect on an MLIR text, which already states all shapes",
                     "use this option when compiling the ONNX model"});
  for (const char *option : {"--without", "--only", "--insert-pass"})
    rules.push_back(
        {option, !arguments.makesLayers(),
         "this option changes the default pipeline of passes, but this command does not run that pipeline",
         "leave out --passes, and compile a model or a graph to layers or a program"});
}

// Refuses options for debugging passes if no passes run, or if nothing is printed that they concern.
void addIdleDebugging(const CompileArguments &arguments, IdleOptions &rules) {
  const PassDebugging &debugging = arguments.passes.debugging;
  for (const char *option :
       {"--mlir-print-ir-before", "--mlir-print-ir-after", "--mlir-print-ir-before-all",
        "--mlir-print-ir-after-all", "--mlir-print-ir-after-change", "--mlir-pass-statistics",
        "--mlir-pass-pipeline-crash-reproducer", "--verify-each", "--remarks"})
    rules.push_back({option, !arguments.wantsLayers() && arguments.passes.pipeline.empty(),
                     "this option concerns passes, but this command runs no passes",
                     "use --emit layer, -o model.trb without --emit, or --passes"});
  rules.push_back({"--mlir-print-ir-tree-dir", !debugging.printsText(),
                   "this option gives the folder for printed modules, but no module is printed",
                   "add --mlir-print-ir-after-all"});
  rules.push_back({"--remarks-filter", debugging.remarks.empty(),
                   "this option filters remarks, but no remarks are printed",
                   "add --remarks applied,missed,analysis"});
}

Status refuseIdleOfModels(const CompileArguments &arguments, const CommandOptions &options) {
  const std::string &precision = arguments.precision.precision;
  TILERIG_TRY(const PrecisionPlan plan, PrecisionPlan::read(precision.empty() ? "fp32" : precision));
  const ProgramOptions &program = arguments.program;
  IdleOptions rules;
  addIdleBeforePrograms(arguments, rules);
  addIdleBeforeLayers(arguments, rules);
  addIdleBehindTexts(arguments, rules);
  addIdleDebugging(arguments, rules);
  for (const char *option : {"--calibration", "--calibration-table"})
    rules.push_back({option, !plan.needsCalibration(),
                     "no layer is computed in 8 bits, so there is nothing to calibrate",
                     "add --precision int8, or leave out this option"});
  // The option --order listed excludes limits of concurrent transfers. A limit of 0 is accepted, because it
  // means no limit.
  const bool limitsReads = program.ddrReads.value_or(0) != 0, limitsWrites = program.ddrWriteBytes != 0;
  for (const auto &[option, isLimit] :
       {std::pair{"--ddr-reads", limitsReads}, {"--ddr-write-bytes", limitsWrites}})
    rules.push_back(
        {option, program.order == OrderMode::listed && isLimit,
         "this option limits transfers by ordering instructions by time, but --order listed keeps their "
         "order",
         "leave out this option or --order"});
  rules.insert(
      rules.end(),
      {{"--inject-seed", arguments.inject.empty(), idleBugSeed, "add --inject"},
       {"--search-seed", arguments.searchBudget == 0,
        "this option gives the seed of a search, but no search is requested", "add --search"},
       {"--onnx-form", arguments.emit != Emit::onnx,
        "this option selects the form of the ONNX model that --emit onnx writes, but this command writes "
        "none",
        "use --emit onnx"},
       {"--report-to", arguments.emit != Emit::program,
        "this option writes the cost of a program's layers, but no program file is written",
        "use -o model.trb without --emit"}});
  return refuseIdle(options, rules);
}

// Several programs in one command: refuses options that name a file which each of them would write.
Status checkShapeChoices(const CompileArguments &arguments, const CommandOptions &options) {
  TILERIG_TRY(const auto choices, shapeChoices(arguments.inputShapes));
  if (choices.size() == 1)
    return success();
  if (arguments.emit != Emit::program)
    return usageError("--input-shape", "only programs can be compiled for several shapes at once",
                      "use -o model.trb without --emit, or give one shape");
  for (const GivenOption &option : options.givenOptions())
    for (const char *file :
         {"--metadata", "--report-to", "--strategy-to", "--calibration-table", "--dump_wb"})
      if (option.name == file)
        return usageError(option.name,
                          "the option names one file, which the program of each shape would overwrite",
                          "compile for one shape at a time");
  return success();
}

// Checks the options for compiling an ONNX model, or an MLIR text of level graph or layer.
Status checkForModels(const CompileArguments &arguments, const CommandOptions &options) {
  TILERIG_CHECK_OK(refuseIdleOfModels(arguments, options));
  if (!arguments.inject.empty()) {
    TILERIG_CHECK_OK(checkInjection(arguments));
  } else if (arguments.allowUnproved)
    return usageError(
        "--allow-unproved",
        "this option has no effect, because a program that is compiled from a model is always proved "
        "free of races",
        "use this option with --from tile, --from isa or --inject");
  if (arguments.from == From::layer && arguments.emit == Emit::graph)
    return usageError("--emit", "layers cannot be converted back to a graph",
                      "use the ONNX model or a text of level graph as input");
  TILERIG_CHECK_OK(checkShapeChoices(arguments, options));
  if (arguments.searchBudget > 0 && arguments.emit == Emit::cpp)
    return usageError(
        "--search",
        "this option cannot be used with --emit cpp: the C++ program compiles with a fixed strategy",
        "search with -o model.trb --strategy-to found.json, then use --strategy found.json");
  // Before the long compilation, refuses a report file that cannot be written because its folder does not
  // exist.
  return arguments.reportTo.empty() ? success() : checkWritable(arguments.reportTo);
}

} // namespace

void complete(CompileArguments &arguments, int argc, char **argv) {
  if (!arguments.emit && !arguments.output.empty())
    arguments.emit = Emit::program;
  arguments.words = howToCompile(argc, argv, arguments.model);
  if (arguments.emitsProgram() && arguments.precision.precision.empty() && arguments.from != From::layer &&
      !arguments.isFromProgram())
    arguments.precision.precision = "fp32";
}

Status checkArguments(const CompileArguments &arguments, const CommandOptions &options, bool json) {
  if (arguments.emit.has_value() != !arguments.output.empty())
    return usageError("--emit", "no output file is given", "add -o FILE");
  if (!arguments.emit && !arguments.report && arguments.metadata.empty() &&
      arguments.precision.tableFile.empty() && !json)
    return usageError("", "no output is requested", "use --emit LEVEL -o FILE, --report or --metadata DIR");
  if (arguments.wantsFutureBackEnd)
    return usageError("--future-be", "this option has no effect, because there is only one back end",
                      "leave out this option");
  if (arguments.output == "-") // refuses - (standard output) now, not after the long compilation
    return checkWritable(arguments.output);
  return arguments.isFromProgram() ? checkForPrograms(arguments, options)
                                   : checkForModels(arguments, options);
}

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
        return usageError("--input-shape", fmt::format("'{}' does not have the form NAME=1x3x224x224", text));
      shape.push_back(size);
      more = next != end;
      at = next + 1;
    }
    if (shape.empty())
      return usageError("--input-shape", fmt::format("'{}' does not have the form NAME=1x3x224x224", text));
    if (!options.inputShapes.emplace(text.substr(0, equals), shape).second)
      return usageError("--input-shape", fmt::format("'{}': the shape of this input is given twice", text),
                        "give only one shape for each input");
  }
  return options;
}

std::vector<std::string> withTwoDashes(int argc, char **argv) {
  std::vector<std::string> words(argv, argv + argc);
  for (std::string &word : words) {
    const std::string name = word.substr(0, word.find('='));
    if (name == "-b" && name != word)
      word = "--batch" + word.substr(name.size());
    else if (name.size() > 2 && name[0] == '-' &&
             std::ranges::find(targetFlags, name.substr(1)) != targetFlags.end())
      word = "-" + word;
  }
  return words;
}

namespace {

// Declares the options that the published compiler for this machine also has, as a group of their own. They
// have the names that the published compiler uses and, if tilerig's name differs, tilerig's name as well.
void declareTarget(CommandOptions &options, CompileArguments &arguments) {
  const auto inGroup = [](CommandOption option) { option.group("Target configuration"); };
  inGroup(options.addOption("--precision,--quantize", arguments.precision.precision,
                            "fp32, fp16, bf16, int8, uint8, or a JSON file that sets the precision layer "
                            "by layer"));
  inGroup(options.addOption("--machine,--arch", arguments.machine,
                            "machine to compile for: tr64 (also called m1k), tr16, tiny, or a machine file "
                            "(.json)"));
  inGroup(options
              .addOption("--tiles,--num_tiles", arguments.tiles,
                         "number of tiles that the program uses (default: all tiles of the machine)")
              .range(1U, maxTiles));
  inGroup(options
              .addOption("-b,--batch", arguments.batch,
                         "size of the first dimension of every input that --input-shape does not name")
              .range(int64_t{1}, int64_t{1} << 20));
  inGroup(options
              .addOption("--max_layer", arguments.maxLayers,
                         "compile only this many layers, from the first on; tensors that later layers would "
                         "read become outputs")
              .range(uint64_t{1}, uint64_t{1} << 32));
  const Words<QuantisedType> integers = {{"int8", QuantisedType::int8}, {"uint8", QuantisedType::uint8}};
  inGroup(addChoice(options, "--quantised-inputs,--inp_quantized_to", arguments.edges.inputs, integers,
                    "the program takes its float inputs as 8-bit integers of this type; the host quantises "
                    "them"));
  inGroup(addChoice(options, "--quantised-outputs,--out_dequantized_from", arguments.edges.outputs, integers,
                    "the program returns its float outputs as 8-bit integers of this type; the host "
                    "dequantises them"));
  inGroup(options.addFlag("--dram_addr_relocatable", arguments.program.isRelocatable,
                          "make the program loadable at any base address in DDR (tilerig run --ddr-base)"));
  inGroup(options.addOption(
      "--ocm_base", arguments.program.ocmBase,
      "first address of the part of each tile's OCM that the program may use, such as 0x10000"));
  inGroup(options.addOption("--ocm_size", arguments.program.ocmBytes,
                            "size in bytes of the part of each tile's OCM that the program may use "
                            "(default: to the end of the OCM)"));
  inGroup(options.addFlag(
      "--wb-pin-ocm,--wb_pin_ocm", arguments.program.pinsWeights,
      "load weights and biases once, before the first inference, and keep them on the tiles"));
  inGroup(
      options.addFlag("--dump_wb", arguments.dumpsWeights,
                      "write weights, biases, scales and tables, as the device stores them, to NAME.wb.npz "
                      "beside the program"));
  inGroup(options.addFlag(
      "--new_metadata", arguments.keepsMetadata,
      "store inside the program, for tilerig inspect, the documents that --metadata writes to files"));
  inGroup(options.addOption("--strategy,--ext_strategy_file", arguments.strategy,
                            "strategy file that says how to split layers among tiles (.json), as "
                            "--strategy-to writes it"));
  inGroup(options.addFlag("--future-be", arguments.wantsFutureBackEnd,
                          "not supported: this compiler has only one back end"));
}

} // namespace

void declareOptions(CommandOptions &options, CompileArguments &arguments) {
  options.addOption("MODEL", arguments.model, "model (.onnx), or text of the level that --from names")
      .required();
  options.addOption("-o,--output", arguments.output, "file to write");
  addChoice<Emit>(options, "--emit", arguments.emit,
                  {{"graph", Emit::graph},
                   {"layer", Emit::layer},
                   {"tile", Emit::tile},
                   {"isa", Emit::isa},
                   {"asm", Emit::assembly},
                   {"program", Emit::program},
                   {"onnx", Emit::onnx},
                   {"cpp", Emit::cpp}},
                  "what to write: MLIR text of the levels graph, layer, tile (tasks of each tile) or isa "
                  "(instructions); asm, the assembly that `tilerig disasm` prints; program, the binary that "
                  "-o alone writes; onnx, the optimised model; cpp, a C++ program that compiles this model, "
                  "to be edited");
  addChoice<OnnxForm>(
      options, "--onnx-form", arguments.form, {{"exact", OnnxForm::exact}, {"qdq", OnnxForm::qdq}},
      "with --emit onnx: exact states the device's integer arithmetic (default); qdq uses float operators "
      "between QuantizeLinear and DequantizeLinear, for other tools");
  addChoice<From>(options, "--from", arguments.from,
                  {{"onnx", From::onnx},
                   {"graph", From::graph},
                   {"layer", From::layer},
                   {"tile", From::tile},
                   {"isa", From::isa}},
                  "what MODEL is: an ONNX file, or MLIR text of this level");
  options.addFlag("--allow-unproved", arguments.allowUnproved,
                  "with --from tile, --from isa or --inject: write the program even if the analyser cannot "
                  "prove it free of races; it then runs in timed mode only");
  options.addOption("--inject", arguments.inject, bugChoiceHelp);
  options.addOption("--inject-seed", arguments.injectSeed, bugSeedHelp).showDefault();
  declarePassOptions(options, arguments.passes);
  declarePassDebugging(options, arguments.passes.debugging);
  options.addOption(
      "--input-shape", arguments.inputShapes,
      "NAME=1x3x224x224: shape of an input; may be given several times. NAME=1x3x48x160|320|640: "
      "compile a program for each of these sizes into one file; tilerig run takes the one that fits the "
      "inputs. If several sizes have alternatives, give the same number for each: program 1 takes the first "
      "of each, and so on");
  options
      .addOption(
          "--save", arguments.saved,
          "results of layers that the program also returns as outputs, by ONNX name, separated by commas; "
          "all: every one whose size is known when compiling. For devices whose memory cannot be read from outside; the layers and the other "
          "outputs stay the same")
      .delimiter(',')
      .oneValueEach();
  arguments.precision.precision.clear();
  options.addOption(
      "--calibration", arguments.precision.calibration,
      "for 8-bit precisions: calibration samples (.npz, or a folder of them) or a saved calibration table "
      "(.json)");
  options.addOption("--calibration-table", arguments.precision.tableFile,
                    "write the calibration table to this file (.json)");
  options.addFlag("--report", arguments.report,
                  "print the layers, where each runs and why; with -o model.trb also run the program on "
                  "the emulator, and print each layer's measured and expected cost");
  options.addOption("--report-to", arguments.reportTo, "write the cost of each layer to this file (.csv)");
  options.addOption("--metadata", arguments.metadata,
                    "write graph.json and layer.json, and for a program tile.json and isa.json, into this "
                    "folder");
  addChoice<std::optional<OrderMode>>(
      options, "--order", arguments.program.order,
      {{"fastest", std::nullopt},
       {"listed", OrderMode::listed},
       {"interleaved", OrderMode::interleaved},
       {"reordered", OrderMode::reordered}},
      "order of each tile's instructions: listed (layer by layer), interleaved (by start time, each engine "
      "in listed order), reordered (longest dependency chains first), or fastest (interleaved or reordered, "
      "whichever takes fewer cycles)");
  options.addOption("--prefetch", arguments.program.prefetchSteps,
                    "load a constant up to this many steps before its use, if there is free OCM space");
  options.addOption("--ddr-reads", arguments.program.ddrReads,
                    "limit of concurrent DDR reads on the whole machine; the most urgent reads are issued "
                    "first; 0: no limit; by default --order fastest and reordered compare several limits");
  options.addOption(
      "--ddr-write-bytes", arguments.program.ddrWriteBytes,
      "limit, in bytes, of concurrent writes to DDR by matrix products whose two factors are in DDR, which "
      "leaves more of DDR's bandwidth to loads; 0: no limit");
  options.addOption(
      "--stagger", arguments.program.staggerCycles,
      "delay each tile's first DDR read of a layer by this many cycles more than that of the previous tile; "
      "0: insert delays whose lengths are set at run time (tilerig run --delays-from)");
  options.addOption(
      "--search", arguments.searchBudget,
      "try this many other ways to split layers and to order loads, measure promising ones on the emulator, "
      "and keep the fastest program");
  options.addOption("--search-seed", arguments.searchSeed,
                    "seed of the search; the same seed tries the same candidates");
  options.addFlag(
      "!--no-fusion-blocks", arguments.program.fusesBlocks,
      "do not run chains of layers band by band (a few rows at a time) to keep the tensors between them out "
      "of DDR, except where a strategy file asks for it");
  addChoice<ImageOrder>(
      options, "--images", arguments.program.images,
      {{"fastest", ImageOrder::fastest}, {"together", ImageOrder::together}, {"in-turn", ImageOrder::inTurn}},
      "order of a batch: together (each layer processes all images), in-turn (one image after the other "
      "passes through all layers, which leaves OCM space for weights), or fastest (the faster of both with "
      "--wb-pin-ocm; else together, as weights would be loaded for every image)");
  addChoice<Redundancy>(
      options, "--redundant-syncs", arguments.program.redundancy,
      {{"removed", Redundancy::removed}, {"kept", Redundancy::kept}},
      "removed: leave out synchronisations that others already make unnecessary; kept: keep "
      "them, to measure how many cycles leaving them out saves");
  options.addFlag("--apart", arguments.program.apart,
                  "put every layer into a stage of its own, so that each has the machine to itself: for "
                  "measuring single layers");
  options.addOption("--strategy-to", arguments.strategyTo,
                    "write the strategy that was used to this file "
                    "(.json)");
  declareTarget(options, arguments);
}

} // namespace tilerig::compiler
