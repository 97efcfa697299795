// `tilerig bisect`: finds the first layer of a model that fails, by checks of shortened networks.
#include "compiler/Processes/ScratchFolder.h"
#include "isa/Base/CommandLine/CommandLine.h"
#include "isa/Base/CommandLine/IdleOptions.h"
#include "isa/Base/CommandLine/TextTable.h"
#include "isa/Base/Support/File.h"
#include "isa/Base/Support/Hash.h"
#include "verify/Bisect/Reproducer.h"
#include "verify/Check/ReferenceRun.h"
#include "verify/Tools/CheckArguments.h"
#include "verify/Tools/CheckVerdicts.h"

#include <algorithm>
#include <filesystem>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <iostream>
#include <set>

namespace tilerig::verify {
namespace {

struct BisectArguments {
  CheckArguments common; // options that `tilerig check` has as well
  std::string model, output;
  double timeout = 0;
  bool reduces = true;

  void declare(CommandOptions &line) {
    line.addOption("MODEL", model, "model (.onnx)").required();
    common.declareCase(line);
    line.addOption(
            "--timeout", timeout,
            "time limit for each network in seconds; a network that takes longer fails (default: none)")
        .atLeast(0.001);
    line.addFlag(
        "--reduce,--no-reduce{false}", reduces,
        "reduce the failing network to a few nodes, small axes and zeros that fail in the same way (the default), or not");
    line.addOption("-o,--output", output,
                   "write the results into this folder; a bisection that was interrupted goes on from them");
  }
};

// Hash of the contents of a file, or of all files of a folder; of the text itself if there is no such file.
uint64_t hashOfFiles(const std::string &path) {
  std::vector<std::string> files;
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    for (const auto &entry : std::filesystem::recursive_directory_iterator(path, ignored))
      files.push_back(entry.path());
  else
    files.push_back(path);
  std::ranges::sort(files);
  uint64_t hash = hashText(path);
  for (const std::string &file : files)
    if (const auto mapped = MappedFile::open(file))
      hash = combineHashes(hash, hashBytes(mapped->bytes()));
  return hash;
}

// Hash of the files in which a model stores data.
uint64_t hashOfData(const Subnetworks &subnetworks, const std::string &folder) {
  uint64_t hash = 0;
  for (const std::string &file : subnetworks.dataFiles())
    hash = combineHashes(hash, hashOfFiles(folder + "/" + file));
  return hash;
}

// Hash of all that decides the result of a trial besides the network: this program, and the options.
uint64_t keyOf(const CommandOptions &options) {
  uint64_t key = hashOfFiles("/proc/self/exe");
  for (const GivenOption &option : options.givenOptions()) {
    if (option.name == "--output" || option.name == "--json" || option.name == "--threads" ||
        option.name == "MODEL")
      continue;
    key = combineHashes(key, hashText(option.name));
    for (const std::string &value : option.values)
      key = combineHashes(key, hashOfFiles(value));
  }
  return key;
}

std::string shortReason(const std::string &reason) {
  constexpr size_t most = 100;
  const std::string line = printable(reason.substr(0, reason.find('\n')));
  return line.size() <= most ? line : line.substr(0, most) + "…";
}

std::string outcomeText(const TrialReport &report) {
  const TrialResult &result = report.result;
  std::string text = result.failure != FailureKind::none ? std::string(nameOf(result.failure))
                     : !result.notInjected.empty()       ? "the bug has no place in it"
                                                         : "match";
  if (result.failure != FailureKind::none && !result.wrong.empty())
    text += ", first in " + printable(result.wrong.front().layer);
  else if (result.failure != FailureKind::none)
    text += ": " + shortReason(result.reason);
  if (report.isOwnStrategy)
    text += " (with a strategy of its own)";
  if (report.isCached)
    text += " (known)";
  return text;
}

// Options of `tilerig check` that say how a network is compiled, whatever its nodes: those that change the network, and those
// that change only the program.
const std::vector<std::string> ofGraph = {
    "--quantised-inputs", "--quantised-outputs", "--passes", "--without", "--only",
    "--insert-pass",      "--load-pass-plugin"};
const std::vector<std::string> ofProgram = {"--machine", "--tiles", "--wb-pin-ocm"};

// Those of them that may name a file.
const std::vector<std::string> files = {"--machine", "--load-pass-plugin"};

Result<std::string> verdictOn(const Check &check, const CheckRun &run, const CheckedTensor &tensor,
                              reference::Threads &threads) {
  if (run.cause && run.cause->isOneClass())
    return std::string(nameOf(run.cause->classes.front()));
  CheckVerdicts verdicts("", threads);
  Json record;
  TILERIG_CHECK_OK(verdicts.add(check, run, tensor, record));
  if (verdicts.onTensors().empty())
    return std::string();
  const Verdict &verdict = verdicts.onTensors().front().verdict;
  return verdict.answer == Answer::named ? std::string(nameOf(verdict.bugClass)) : "unknown";
}

void printTrial(const TrialReport &report) {
  if (report.isReduced)
    return;
  std::cout << fmt::format("  {:>6}  {:<32}  {}", report.nodes, printable(report.last), outcomeText(report))
            << std::endl;
}

std::string listOf(const std::vector<std::string> &names) {
  return printable(fmt::format("{}", fmt::join(names, ", ")));
}

class Bisection {
public:
  Bisection(const BisectArguments &arguments, const CommandOptions &options, bool json)
      : arguments(arguments), options(options), json(json) {}

  Result<ExitCode> run() {
    TILERIG_CHECK_OK(arguments.common.checkCase(options));
    if (arguments.common.inject.size() > 1)
      return usageError("--inject", "a bisection looks for one cause, but several bugs are injected",
                        "inject one bug");
    TILERIG_TRY(SourceModel source, SourceModel::read(arguments.model));
    if (arguments.common.batch)
      source.setBatch(*arguments.common.batch);
    TILERIG_TRY(const TensorMap inputs, arguments.common.inputsFor(source));
    TILERIG_TRY(const Subnetworks subnetworks, Subnetworks::of(source));
    TILERIG_TRY(const std::string folder, folderToUse());
    if (!folder.empty())
      removeReproducer(folder + "/reproducer"); // of an earlier bisection
    TILERIG_TRY(BisectOptions settings, settingsFor());
    settings.key = combineHashes(settings.key, hashOfData(subnetworks, source.dataFolder()));
    TILERIG_TRY(TrialCache cache, TrialCache::open(arguments.output.empty() ? "" : folder + "/trials.jsonl"));
    Trials trials(subnetworks, inputs, std::move(settings), std::move(cache));
    if (!json)
      std::cout << fmt::format("{}: {} nodes\n   nodes  {:<32}  result\n", printable(arguments.model),
                               subnetworks.size(), "last node");
    TILERIG_TRY(const BisectResult result, bisect(source, subnetworks, trials));
    if (!result.whole.notInjected.empty())
      return usageError("--inject", result.whole.notInjected);
    Json document = documentOf(subnetworks, trials, result);
    TILERIG_CHECK_OK(save(document, folder));
    if (result.search && arguments.reduces) {
      TILERIG_CHECK_OK(addReproducer(subnetworks, inputs, source, result, trials, folder, document));
    }
    TILERIG_CHECK_OK(save(document, folder));
    std::cout << (json ? textOf(document) : summary(subnetworks, result, document));
    return result.search ? ExitCode::mismatch : ExitCode::done;
  }

private:
  static std::string textOf(const Json &document) {
    return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  }
  Status save(const Json &document, const std::string &folder) const {
    return arguments.output.empty() ? success() : writeText(folder + "/bisect.json", textOf(document));
  }

  // The right values of all tensors of the model.
  static Result<TensorMap> valuesOf(const SourceModel &source, const TensorMap &inputs, unsigned count) {
    TILERIG_TRY(reference::Model model, source.forReference());
    reference::Threads threads(count);
    TILERIG_TRY(const ReferenceRun run,
                ReferenceRun::load(std::move(model), reference::Arithmetic::fast, threads));
    return run.run(inputs);
  }

  ReproducerOptions optionsFor(const FailureKind failure) const {
    const bool hangs = failure == FailureKind::compilerTimeout || failure == FailureKind::runTimeout;
    return {.limit = hangs ? fmt::format("timeout {} ", arguments.timeout) : "",
            .graph = wordsOf(ofGraph),
            .program = wordsOf(ofProgram)};
  }

  // The words of those of the named options that the user gave.
  std::string wordsOf(const std::vector<std::string> &names) const {
    std::string words;
    for (const GivenOption &option : options.givenOptions()) {
      if (std::ranges::find(names, option.name) == names.end())
        continue;
      const bool isFile = std::ranges::find(files, option.name) != files.end();
      for (const std::string &word : option.words()) {
        std::error_code ignored;
        const bool isPath = isFile && word != option.name && std::filesystem::exists(word, ignored);
        words += " " + shellWord(isPath ? std::filesystem::absolute(word, ignored).string() : word);
      }
    }
    return words;
  }

  Status addReproducer(const Subnetworks &subnetworks, const TensorMap &inputs, const SourceModel &source,
                       const BisectResult &result, Trials &trials, const std::string &folder,
                       Json &document) {
    Result<TensorMap> values = valuesOf(source, inputs, arguments.common.threads);
    if (!values) {
      document["reproducer_reason"] = "the reference cannot compute the model: " + values.error().message();
      return success();
    }
    TILERIG_TRY(const std::optional<Reproducer> reproducer, reduce(subnetworks, *values, result, trials));
    if (!reproducer) {
      document["reproducer_reason"] = "the failure vanishes in all smaller networks that were tried";
      if (isOfCompiler(result.whole.failure) && result.search->length == subnetworks.size())
        document["reproducer_reason"] =
            "no part of the model fails alone; the reason may be the model as a whole, such as "
            "its inputs and outputs, rather than this layer";
      return success();
    }
    document["reproducer_nodes"] = reproducer->nodes.size();
    document["reproducer_trials"] = reproducer->trials;
    document["verdict"] = reproducer->wrong.verdict.empty() ? Json() : Json(reproducer->wrong.verdict);
    if (arguments.output.empty())
      return success();
    document["reproducer"] = folder + "/reproducer";
    if (const Status written =
            writeReproducer(*reproducer, folder + "/reproducer", optionsFor(result.shortest.failure));
        !written) {
      document["reproducer"] = nullptr;
      document["reproducer_reason"] = "it cannot be written: " + written.error().message();
    }
    return success();
  }

  Result<std::string> folderToUse() {
    if (arguments.output.empty())
      return std::string();
    std::error_code failure;
    std::filesystem::create_directories(arguments.output, failure);
    if (failure)
      return invalidInput(arguments.output,
                          fmt::format("the folder cannot be created: {}", failure.message()),
                          "choose another folder with --output");
    return arguments.output;
  }

  Result<BisectOptions> settingsFor() {
    BisectOptions settings;
    TILERIG_TRY(settings.trial.compile, arguments.common.compileOptions());
    settings.trial.device.threads = arguments.common.threads;
    settings.trial.threads = arguments.common.threads;
    if (!arguments.common.inject.empty())
      settings.trial.inject = arguments.common.inject.front();
    settings.trial.injectSeed = arguments.common.injectSeed;
    settings.trial.seconds = arguments.timeout;
    TILERIG_TRY(compiler::ScratchFolder created, compiler::ScratchFolder::create());
    settings.folder = scratch.emplace(std::move(created)).path();
    settings.trial.verdictOn = verdictOn;
    settings.key = keyOf(options);
    if (!json)
      settings.onTrial = printTrial;
    return settings;
  }

  // How many compilations a bisection may take: one for each halving, one for each branch point, and two.
  static size_t limit(const Subnetworks &subnetworks) {
    size_t halvings = 0;
    while ((size_t(1) << halvings) < subnetworks.size())
      ++halvings;
    return halvings + subnetworks.branchPoints() + 2;
  }

  // The layers, and the nodes of the model, whose results the failing layer reads. The compiler may have merged or folded nodes, so
  // that no layer is left of them.
  static std::set<std::string> readsOf(const Subnetworks &subnetworks, const FailingLayer &layer) {
    std::set<std::string> reads(layer.wrong.reads.begin(), layer.wrong.reads.end());
    for (const NodeIndex node : layer.nodes)
      for (const std::string &input : subnetworks.node(node).input())
        if (const auto producer = subnetworks.producerOf(input);
            producer && !std::ranges::binary_search(layer.nodes, *producer))
          reads.insert(subnetworks.nameOf(*producer));
    // The layer's own nodes, and the conversion of its result, which has the same name.
    reads.erase(layer.wrong.layer);
    for (const std::string &own : layer.wrong.nodes)
      reads.erase(own);
    return reads;
  }

  static Json documentOf(const Subnetworks &subnetworks, const Trials &trials, const BisectResult &result) {
    Json document = {{"layer", nullptr},
                     {"onnx_op", nullptr},
                     {"failure", nullptr},
                     {"runs", trials.runs()},
                     {"compiles", trials.compiles()},
                     {"known", trials.cached()},
                     {"limit", limit(subnetworks)},
                     {"primitive", nullptr},
                     {"tile", nullptr},
                     {"engine", nullptr},
                     {"stage", nullptr},
                     {"instructions", nullptr},
                     {"program_nodes", nullptr},
                     {"tensor", nullptr},
                     {"instruction", nullptr},
                     {"instruction_text", nullptr},
                     {"reproducer", nullptr},
                     {"monotone", true},
                     {"vanishes", false},
                     {"nodes", subnetworks.size()}};
    if (!result.whole.injected.empty()) {
      document["injected"] = result.whole.injected;
      document["injected_layer"] = result.whole.injectedLayer;
      document["equivalent"] = result.whole.isEquivalent;
    }
    if (!result.search)
      return document;
    const FailingLayer &layer = result.layer;
    document["layer"] = layer.wrong.layer.empty() ? subnetworks.nameOf(layer.node) : layer.wrong.layer;
    document["onnx_op"] = subnetworks.node(layer.node).op_type();
    document["reads"] = readsOf(subnetworks, layer);
    document["onnx_node"] = subnetworks.nameOf(layer.node);
    document["failure"] = nameOf(result.whole.failure);
    document["reason"] = result.shortest.reason;
    document["shortest"] = result.search->length;
    document["monotone"] = result.search->isMonotone;
    document["vanishes"] = result.vanishes();
    document["elsewhere"] = result.search->elsewhere;
    document["undecided"] = result.search->undecided;
    document["clears"] = result.whole.clears ? Json(*result.whole.clears) : Json();
    document["tensor"] = layer.wrong.tensor.empty() ? Json() : Json(layer.wrong.tensor);
    if (const std::optional<WrongPlace> &place = layer.wrong.place) {
      document["program_nodes"] = layer.isPlaceOfWhole ? subnetworks.size() : result.search->length;
      document["primitive"] = place->primitive;
      document["tile"] = place->tile;
      document["engine"] = place->engine;
      document["stage"] = place->stage;
      document["instructions"] = {place->begin, place->end};
      document["instruction"] = place->instruction;
      document["instruction_text"] = place->text;
    }
    return document;
  }

  static std::string summary(const Subnetworks &subnetworks, const BisectResult &result,
                             const Json &document) {
    const size_t known = document["known"];
    const std::string counts =
        fmt::format("{}, {}{}", countText(document["compiles"], "compilation", "compilations"),
                    countText(document["runs"], "run", "runs"),
                    known ? fmt::format(", {} known from before", known) : "");
    if (!result.search)
      return fmt::format("\nnothing fails ({}){}\n", counts,
                         result.whole.isEquivalent ? "; the injected bug changes no bit" : "");
    Facts facts;
    const WrongTensor &wrong = result.layer.wrong;
    facts.add("first failing layer",
              fmt::format("{} ({})", printable(document["layer"].get<std::string>()),
                          wrong.kind.empty() ? subnetworks.node(result.layer.node).op_type() : wrong.kind));
    facts.add("ONNX nodes",
              wrong.nodes.empty() ? printable(subnetworks.nameOf(result.layer.node)) : listOf(wrong.nodes));
    facts.add("failure",
              std::string(nameOf(result.whole.failure)) + ": " + shortReason(result.shortest.reason));
    if (wrong.place)
      facts.add("made wrong by",
                fmt::format("{} on tile {}, engine {}, instruction {} (stage {}, range {} to {}){}",
                            wrong.place->primitive, wrong.place->tile, wrong.place->engine,
                            wrong.place->instruction, wrong.place->stage, wrong.place->begin,
                            wrong.place->end - 1,
                            result.layer.isPlaceOfWhole ? "" : " of the shortest failing network"));
    if (result.whole.clears)
      facts.add("with its right values", *result.whole.clears ? "everything behind it is right"
                                                              : "something behind it is still wrong");
    facts.add("shortest failing network",
              fmt::format("the first {} of {} nodes", result.search->length, subnetworks.size()));
    if (document.contains("reproducer_nodes"))
      facts.add("reproducer",
                fmt::format("{}{}", countText(document["reproducer_nodes"], "node", "nodes"),
                            document["reproducer"].is_null()
                                ? "; --output writes it into a folder"
                                : ", in " + printable(document["reproducer"].get<std::string>())));
    facts.add("no reproducer", document.value("reproducer_reason", ""));
    if (document.contains("verdict") && !document["verdict"].is_null())
      facts.add("looks like", document["verdict"].get<std::string>());
    facts.add("effort", counts);
    std::string text = "\n" + facts.text();
    if (!result.search->isMonotone)
      text +=
          result.search->elsewhere.empty()
              ? "note: the failure is not monotone: a longer network passes\n"
              : fmt::format(
                    "note: the failure is not monotone: networks of {} nodes fail in another layer, in which longer "
                    "ones do not fail\n",
                    fmt::join(result.search->elsewhere, ", "));
    if (result.vanishes())
      text += fmt::format(
          "note: the failure vanishes in networks of fewer than {} nodes; the layer was found in the network of {} "
          "nodes, where each layer was also computed from right inputs\n",
          result.search->length, result.search->length);
    if (!result.search->undecided.empty())
      text += fmt::format("note: networks of {} nodes fail in another way, so they decide nothing\n",
                          fmt::join(result.search->undecided, ", "));
    return text;
  }

  const BisectArguments &arguments;
  const CommandOptions &options;
  bool json;
  std::optional<compiler::ScratchFolder> scratch;
};

} // namespace
} // namespace tilerig::verify

int main(int argc, char **argv) {
  using namespace tilerig;
  CommandLine line(command("bisect"),
                   "tilerig bisect model.onnx --precision int8\n"
                   "tilerig bisect model.onnx --inject bias-missing --inject-seed 7 --output out\n"
                   "tilerig bisect model.onnx -i pictures.npz --timeout 60 --json");
  verify::BisectArguments arguments;
  arguments.declare(line.options());
  return line.run(argc, argv,
                  [&] { return verify::Bisection(arguments, line.options(), line.json()).run(); });
}
