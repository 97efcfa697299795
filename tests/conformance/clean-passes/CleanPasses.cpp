// The program tilerig-clean-passes: checks the passes of the compiler as `tilerig check --after-each-pass`
// does. No correct pass may be reported as wrong, and passes that are wrong on purpose must be.
//
//   tilerig-clean-passes --seeds 1:2000
//       random models of these seeds
//   tilerig-clean-passes MODEL.onnx... TEXT.mlir...
//       models from files, with the inputs in the folder test_data_set_0 beside them, or random inputs; and
//       each function of the lit tests TEXT.mlir, with the passes of its RUN lines and with each single pass
//       on its level
//   tilerig-clean-passes --networks squeezenet:64 bert_tiny
//       networks of the zoo; squeezenet gets images of 64 x 64 pixels instead of their usual size
//   --nodes N         about the largest number of nodes in a random model (default 40)
//   --types T,...     types of the floats of random models: f32, f16, bf16 (default f32)
//   --edges           random inputs and weights hold NaN, infinities, subnormals and huge numbers
//   --precisions P,.. precisions for which each model is compiled (default fp32,int8)
//   --orders N        also runs the passes over level graph in N random orders
//   --all-but-one     for each optional pass, also runs the pipeline without this pass
//   --keep DIR        folder for the models and reproducers of passes that are reported as wrong
//   --write DIR       writes the random models into this folder, for other campaigns, and checks no passes
//   --control         negative control: exactly the passes that are wrong on purpose must be reported
//
// Exit code: 0 no pass was reported as wrong (with --control: exactly the wrong passes were), 1 otherwise,
// 2 usage.
#include "compiler/Passes/Passes.h"
#include "compiler/Pipelines/Pipelines.h"
#include "compiler/Pipelines/ResolvePasses.h"
#include "isa/Base/Support/File.h"
#include "models/Zoo.h"
#include "reference/Tools/Inputs.h"
#include "tests/conformance/Cases.h"
#include "tests/conformance/clean-passes/Findings.h"
#include "tests/conformance/clean-passes/Texts.h"
#include "tests/conformance/random-graphs/BrokenPasses.h"
#include "tests/conformance/random-graphs/EdgeValues.h"
#include "tests/conformance/random-graphs/Watchdog.h"
#include "tests/support/RandomModel/RandomModel.h"
#include "tests/support/WideModel.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fmt/core.h>
#include <fmt/ranges.h>

using namespace tilerig;
using namespace tilerig::compiler;
using namespace tilerig::meaning;

namespace {

constexpr unsigned secondsOfARun = 1000; // limit of CPU time for one run of the passes

struct Arguments {
  std::string seeds, keep, write;
  std::vector<std::string> files, networks, types = {"f32"}, precisions = {"fp32", "int8"};
  int nodes = 40;
  unsigned orders = 0;
  bool edges = false, allButOne = false, control = false;
};

Result<TensorMap> mapOf(const Values &values) {
  TensorMap inputs;
  for (const auto &[name, tensor] : values)
    TILERIG_CHECK_OK(inputs.add(name, tensor));
  return inputs;
}

// One run of the compiler's usual passes for each precision.
std::vector<PassRun> usualRuns(const std::vector<std::string> &precisions) {
  std::vector<PassRun> runs;
  for (const std::string &name : precisions)
    runs.push_back({.name = name, .precision = name});
  return runs;
}

// All passes over level graph except widen-floats, which changes the precision on purpose.
std::vector<PassName> passesInAnyOrder() {
  std::vector<PassName> passes = graphPasses();
  std::erase_if(passes, [](const PassName &pass) { return pass.flag == "widen-floats"; });
  return passes;
}

void addShuffled(unsigned orders, uint64_t seed, std::vector<PassRun> &runs) {
  test::Random random(seed ^ 0x0de5);
  for (unsigned i = 0; i < orders; ++i) {
    std::vector<PassName> order = passesInAnyOrder();
    random.shuffle(order);
    const std::string pipeline = pipelineOf(order);
    runs.push_back({.name = fmt::format("order {}", i + 1), .pipeline = pipeline});
  }
}

// For each pass that is wrong on purpose: a run of this pass followed by the usual passes.
std::vector<PassRun> wrongRuns() {
  std::vector<PassRun> runs;
  for (const PassName &wrong : registerBrokenPasses())
    runs.push_back({.name = wrong.flag, .pipeline = pipelineOf({wrong, {"simplify-graph", ""}})});
  return runs;
}

class Campaign {
public:
  explicit Campaign(const Arguments &arguments) : arguments(arguments), findings(arguments.keep) {}

  Status run(std::pair<uint64_t, uint64_t> seeds) {
    usual = usualRuns(arguments.precisions);
    if (arguments.allButOne)
      for (const std::string &pass : optionalPasses())
        usual.push_back({.name = "without " + pass, .without = {pass}});
    if (arguments.control)
      usual = wrongRuns();
    for (const std::string &path : arguments.files)
      TILERIG_CHECK_OK(path.ends_with(".mlir") ? judgeText(path) : judgeFile(path));
    for (const std::string &network : arguments.networks)
      TILERIG_CHECK_OK(judgeNetwork(network));
    for (const std::string &type : arguments.types)
      for (uint64_t seed = seeds.first; seed <= seeds.second; ++seed)
        TILERIG_CHECK_OK(judgeRandom(seed, type));
    return success();
  }

  // Prints the counts. Returns whether no error occurred and no correct pass was reported as wrong. With
  // --control, every wrong pass must also have been reported.
  bool conclude() const {
    findings.print();
    if (!arguments.write.empty())
      return true;
    if (!arguments.control)
      return findings.accused() == 0 && findings.errors() == 0 && findings.hasChecked();
    for (const PassRun &run : usual)
      fmt::print("{}: reported as wrong {} times\n", run.name,
                 named.contains(run.name) ? named.at(run.name) : 0);
    return findings.errors() == 0 && wronglyNamed == 0 &&
           std::ranges::all_of(usual, [&](const PassRun &run) { return named.contains(run.name); });
  }

private:
  Status judge(const std::string &name, const JudgedModule &module, const std::vector<PassRun> &runs) {
    for (const PassRun &run : runs) {
      const Watchdog watchdog(name + ": " + run.name, secondsOfARun);
      const auto judgement = module.judge(run);
      if (!judgement) {
        findings.addError(name, run.name, judgement.error());
        continue;
      }
      if (const auto &wrong = judgement->passes.firstWrong; wrong && arguments.control)
        ++(wrong->pass == run.name ? named[run.name] : wronglyNamed);
      TILERIG_CHECK_OK(findings.add(name, run, *judgement));
    }
    return success();
  }

  Status judgeModel(const verify::SourceModel &source, const TensorMap &inputs, uint64_t seed) {
    const auto module = JudgedModule::import(source, inputs, threads);
    if (!module) {
      findings.addRefusedModel(source.name(), module.error());
      return success();
    }
    std::vector<PassRun> runs = usual;
    addShuffled(arguments.orders, seed, runs);
    return judge(source.name(), *module, runs);
  }

  Status judgeRandom(uint64_t seed, const std::string &type) {
    test::RandomModelOptions options;
    options.mostNodes = arguments.nodes;
    Trial trial;
    trial.model = test::randomModel(seed, options);
    test::Random random(seed ^ 0xed6e);
    if (arguments.edges)
      putEdgesIntoConstants(trial, random);
    if (type != "f32")
      TILERIG_CHECK_OK(test::narrow(trial.model, "", type == "f16" ? DType::f16 : DType::bf16));
    TILERIG_TRY(trial.inputs, makeInputs(trial.model, seed));
    if (arguments.edges)
      putEdgesIntoInputs(trial, random);
    TILERIG_TRY(const TensorMap inputs, mapOf(trial.inputs));
    const std::string name = fmt::format("seed-{}-{}", seed, type);
    const size_t before = findings.accused();
    const std::string bytes = trial.model.SerializeAsString();
    if (!arguments.write.empty())
      return writeText(arguments.write + "/" + name + ".onnx", bytes);
    TILERIG_CHECK_OK(judgeModel(verify::SourceModel::of(name, bytes), inputs, seed));
    return findings.accused() > before && !arguments.keep.empty()
               ? writeText(arguments.keep + "/" + name + ".onnx", bytes)
               : success();
  }

  Status judgeFile(const std::string &path) {
    TILERIG_TRY(const verify::SourceModel source, verify::SourceModel::read(path));
    auto inputs = inputsOf(path, source);
    if (!inputs) {
      findings.addRefusedModel(path, inputs.error());
      return success();
    }
    return judgeModel(source, *inputs, 1);
  }

  // `text` names a network of the zoo, as NAME or NAME:SIZE (height and width of its images).
  Status judgeNetwork(const std::string &text) {
    const std::string name = text.substr(0, text.find(':'));
    models::ZooOptions options;
    if (name.size() < text.size())
      options.variant.imageSize = std::stoll(text.substr(name.size() + 1));
    const models::CatalogueEntry *const network = models::findNetwork(name);
    if (!network)
      return usageError("--networks", fmt::format("there is no network '{}'", name));
    TILERIG_TRY(const onnx::ModelProto model, models::makeNetwork(*network, options, threads));
    const auto source = verify::SourceModel::of(name, model.SerializeAsString());
    TILERIG_TRY(const TensorMap inputs, inputsOf("", source));
    return judgeModel(source, inputs, 1);
  }

  static Result<TensorMap> inputsOf(const std::string &path, const verify::SourceModel &source) {
    TILERIG_TRY(const reference::Model model, source.forReference());
    const std::filesystem::path data = std::filesystem::path(path).parent_path() / "test_data_set_0";
    TILERIG_TRY(const reference::NamedTensors inputs, std::filesystem::exists(data)
                                                          ? reference::readInputs(model, {data.string()})
                                                          : reference::makeInputs(model, {}, 1));
    return mapOf(inputs);
  }

  Status judgeText(const std::string &path) {
    mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
    context.loadDialect<graph::GraphDialect, layer::LayerDialect, mlir::func::FuncDialect>();
    TILERIG_TRY(const TestText text, readTestText(context, path));
    std::vector<PassRun> runs;
    for (const std::string &pipeline : text.pipelines)
      runs.push_back(
          {.name = fmt::format("RUN {}", runs.size() + 1), .pipeline = pipeline, .makesLayers = false});
    if (text.isGraph) {
      for (const PassName &pass : passesInAnyOrder())
        runs.push_back({.name = pass.flag, .pipeline = pipelineOf({pass}), .makesLayers = false});
      runs.insert(runs.end(), usual.begin(), usual.end());
    }
    for (const auto &[name, function] : text.functions) {
      const std::string place = std::filesystem::path(path).stem().string() + "@" + name;
      const auto module = JudgedModule::of(function, place, 1, threads);
      if (!module)
        findings.addRefusedModel(place, module.error());
      else
        TILERIG_CHECK_OK(judge(place, *module, runs));
    }
    return success();
  }

  const Arguments &arguments;
  Findings findings;
  reference::Threads threads{1};
  std::vector<PassRun> usual;          // of each model
  std::map<std::string, size_t> named; // how often each wrong pass was reported
  size_t wronglyNamed = 0;             // how often a correct pass was reported as wrong
};

Result<bool> runArguments(const Arguments &arguments) {
  std::pair<uint64_t, uint64_t> seeds = {1, 0};
  if (!arguments.seeds.empty() &&
      std::sscanf(arguments.seeds.c_str(), "%lu:%lu", &seeds.first, &seeds.second) != 2)
    return usageError("--seeds", "must have the form FIRST:LAST");
  Campaign campaign(arguments);
  TILERIG_CHECK_OK(campaign.run(seeds));
  return campaign.conclude();
}

} // namespace

int main(int argc, char **argv) {
  Arguments arguments;
  CLI::App app("Checks the passes of the compiler on models: no correct pass may be reported as wrong");
  app.add_option("FILE", arguments.files, "models (.onnx) and texts (.mlir)");
  app.add_option("--seeds", arguments.seeds, "check passes on random models of these seeds, as FIRST:LAST");
  app.add_option("--networks", arguments.networks, "networks of the zoo, as NAME or NAME:IMAGE_SIZE");
  app.add_option("--nodes", arguments.nodes, "approximate limit of nodes in a random model")
      ->check(CLI::Range(3, 1000));
  app.add_option("--types", arguments.types, "types of the floats of random models")
      ->delimiter(',')
      ->check(CLI::IsMember({"f32", "f16", "bf16"}));
  app.add_flag("--edges", arguments.edges, "put NaN, infinities, subnormals and huge numbers into models");
  app.add_option("--precisions", arguments.precisions, "precisions for which each model is compiled")
      ->delimiter(',');
  app.add_option("--orders", arguments.orders,
                 "also run the passes on level graph in this many random orders");
  app.add_flag("--all-but-one", arguments.allButOne, "also leave out each optional pass in turn");
  app.add_option("--keep", arguments.keep, "folder for models and reproducers of passes reported as wrong");
  app.add_option("--write", arguments.write, "folder for random models; no passes are then checked");
  app.add_flag("--control", arguments.control, "use wrong passes and require that each is reported");
  CLI11_PARSE(app, argc, argv);
  for (const std::string &folder : {arguments.keep, arguments.write})
    if (!folder.empty())
      std::filesystem::create_directories(folder);
  registerAllPasses();
  const auto isFine = runArguments(arguments);
  if (!isFine) {
    fmt::print(stderr, "{}\n", isFine.error().message());
    return 2;
  }
  return *isFine ? 0 : 1;
}
