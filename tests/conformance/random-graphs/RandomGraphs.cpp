// Random testing of compiler passes on the level `graph`: a model must compute the same after import and
// export alone, after each pass alone, all passes, all but one, and all in other orders.
//
//   tilerig-random-graphs --seeds 1:500
//       random models of these seeds
//   tilerig-random-graphs --few MODEL.onnx...
//       models from files; --few: only no pass, all passes, and the compiler's own pipelines
//   tilerig-random-graphs --control --seeds 1:50
//       negative control: finds passes that are wrong on purpose, and shrinks the models to a few nodes
//   --nodes N     about the largest number of nodes in a random model (default 40)
//   --operators   core: floats of fixed shapes in operator sets 7 to 21 (default); wide: also integers, control flow,
//                 sizes that depend on data, operators of ONNX Runtime, and operator sets 22 to 24
//   --keep DIR    folder for models that show a fault, shrunk, each with its inputs
//
// Models are converted to double first, so that the tolerance, 1e-9 of a tensor's largest magnitude, is far
// above rounding errors. Exit code: 0 all the same, 1 a fault, 2 usage.
#include "compiler/Passes/Passes.h"
#include "compiler/Pipelines/Pipelines.h"
#include "isa/Base/Support/File.h"
#include "isa/Base/Tensor/Npz.h"
#include "tests/conformance/random-graphs/BrokenPasses.h"
#include "tests/conformance/random-graphs/Judge.h"
#include "tests/conformance/random-graphs/Shrink.h"
#include "tests/support/RandomModel/RandomModel.h"
#include "tests/support/WideModel.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fmt/core.h>
#include <mlir/Transforms/Passes.h>

using namespace tilerig;
using namespace tilerig::compiler;
using namespace tilerig::meaning;

namespace {

constexpr unsigned secondsOfNetworks = 1000; // limit of CPU time for one pass pipeline on a model from a file

// Largest permitted number of nodes of a model that was shrunk for a pass that is wrong on purpose.
constexpr int mostControlNodes = 3;

struct Arguments {
  std::string seeds, keep;
  std::vector<std::string> models;
  int nodes = 40;
  bool few = false, control = false;
  test::RandomOperators operators = test::RandomOperators::core;
};

class Campaign {
public:
  Campaign(const Arguments &arguments, std::vector<PassName> passes)
      : arguments(arguments), passes(std::move(passes)) {}

  // Tests the passes on one model. If it shows a fault, prints the fault, shrinks the model and writes it to
  // --keep.
  Status judgeModel(const Subject &subject, onnx::ModelProto model, const std::string &folder,
                    uint64_t seed) {
    TILERIG_CHECK_OK(test::widen(model, folder));
    Trial trial;
    trial.model = std::move(model);
    TILERIG_TRY(trial.inputs, makeInputs(trial.model, seed));
    const auto variants = arguments.few ? fewVariantsOf(passes) : variantsOf(passes, 3, seed);
    // The model is written before it is tested, since the watchdog ends the process if a pass does not end.
    TILERIG_CHECK_OK(keep(trial, subject.name));
    const auto finding = judge(subject, trial, variants, scratch, counts);
    if (!finding) {
      forget(subject.name);
      return success();
    }
    ++(finding->fault == Fault::difference ? differences : refusals);
    fmt::print("{}: {}: {}\n  passes: {}\n", subject.name, finding->variant.name, finding->description,
               finding->variant.pipeline);
    return report(shrunk(subject, trial, *finding), subject.name);
  }

  void printCounts() const {
    fmt::print("{} models, {} variants of them, {} of these not alike; {} models mean something else, {} are "
               "refused; {} models have an operator without a layer\n",
               counts.models, counts.variants, counts.distinct, differences, refusals, counts.withoutLayers);
  }

  size_t differences = 0, refusals = 0;
  int largest = 0; // number of nodes of the largest model that was left after shrinking

private:
  Trial shrunk(const Subject &subject, const Trial &trial, const Finding &finding) {
    return shrink(trial, [&](const Trial &smaller) {
      Counts ignored;
      const auto again = judge(subject, smaller, {finding.variant}, scratch, ignored);
      return again && again->fault == finding.fault;
    });
  }

  Status report(const Trial &trial, const std::string &name) {
    const onnx::GraphProto &graph = trial.model.graph();
    largest = std::max(largest, graph.node_size());
    fmt::print("  shrinks to {} nodes:", graph.node_size());
    for (int i = 0; i < graph.node_size() && i < 8; ++i)
      fmt::print(" {}", graph.node(i).op_type());
    fmt::print("\n");
    if (!arguments.keep.empty())
      fmt::print("  kept as {}.onnx\n", stemOf(name));
    return keep(trial, name);
  }

  Status keep(const Trial &trial, const std::string &name) const {
    if (arguments.keep.empty())
      return success();
    TensorMap inputs;
    for (const auto &[input, tensor] : trial.inputs)
      TILERIG_CHECK_OK(inputs.add(input, tensor));
    TILERIG_CHECK_OK(writeNpz(stemOf(name) + ".npz", inputs));
    return writeText(stemOf(name) + ".onnx", trial.model.SerializeAsString());
  }

  void forget(const std::string &name) const {
    if (arguments.keep.empty())
      return;
    std::filesystem::remove(stemOf(name) + ".npz");
    std::filesystem::remove(stemOf(name) + ".onnx");
  }

  std::string stemOf(const std::string &name) const {
    return arguments.keep + "/" + std::filesystem::path(name).filename().string();
  }

  const Arguments &arguments;
  std::vector<PassName> passes;
  Scratch scratch;
  Counts counts;
};

Result<onnx::ModelProto> readModel(const std::string &path) {
  TILERIG_TRY(const std::string bytes, readText(path));
  onnx::ModelProto model;
  if (!model.ParseFromString(bytes))
    return invalidInput(path, "the file is not an ONNX model");
  return model;
}

Status runAll(Campaign &campaign, const Arguments &arguments, std::pair<uint64_t, uint64_t> seeds) {
  for (const std::string &path : arguments.models) {
    TILERIG_TRY(onnx::ModelProto model, readModel(path));
    const std::string folder = std::filesystem::path(path).parent_path().string();
    TILERIG_CHECK_OK(campaign.judgeModel({path, secondsOfNetworks}, std::move(model), folder, 1));
  }
  for (uint64_t seed = seeds.first; seed <= seeds.second; ++seed) {
    test::RandomModelOptions options;
    options.mostNodes = arguments.nodes;
    options.operators = arguments.operators;
    if (arguments.operators != test::RandomOperators::core)
      options.mostOpset = 24;
    TILERIG_CHECK_OK(
        campaign.judgeModel({fmt::format("seed-{}", seed)}, test::randomModel(seed, options), "", seed));
  }
  return success();
}

// Negative control: returns whether every broken pass is found, with models that shrink to at most
// mostControlNodes nodes.
Result<bool> runControl(const Arguments &arguments, std::pair<uint64_t, uint64_t> seeds) {
  bool isFound = true;
  for (const PassName &broken : registerBrokenPasses()) {
    fmt::print("--- {} ---\n", broken.flag);
    Campaign campaign(arguments, {broken});
    TILERIG_CHECK_OK(runAll(campaign, arguments, seeds));
    campaign.printCounts();
    isFound &= campaign.differences > 0 && campaign.refusals == 0 && campaign.largest <= mostControlNodes;
  }
  return isFound;
}

Result<bool> runArguments(const Arguments &arguments) {
  std::pair<uint64_t, uint64_t> seeds = {1, 0};
  if (!arguments.seeds.empty() &&
      std::sscanf(arguments.seeds.c_str(), "%lu:%lu", &seeds.first, &seeds.second) != 2)
    return usageError("--seeds", "must have the form FIRST:LAST");
  if (arguments.control)
    return runControl(arguments, seeds);
  Campaign campaign(arguments, graphPasses());
  TILERIG_CHECK_OK(runAll(campaign, arguments, seeds));
  campaign.printCounts();
  return campaign.differences + campaign.refusals == 0;
}

} // namespace

int main(int argc, char **argv) {
  Arguments arguments;
  CLI::App app("Tests that models compute the same after the compiler's passes");
  app.add_option("MODEL", arguments.models, "models (.onnx)");
  app.add_option("--seeds", arguments.seeds, "test the random models of these seeds, as FIRST:LAST");
  app.add_option("--nodes", arguments.nodes, "approximate limit of nodes in a random model")
      ->check(CLI::Range(3, 1000));
  app.add_option("--operators", arguments.operators, "operators of the random models: core or wide")
      ->transform(CLI::CheckedTransformer(std::map<std::string, test::RandomOperators>{
          {"core", test::RandomOperators::core}, {"wide", test::RandomOperators::wide}}));
  app.add_option("--keep", arguments.keep, "folder for models that show a fault");
  app.add_flag("--few", arguments.few, "test only no pass, all passes, and the compiler's pipelines");
  app.add_flag("--control", arguments.control, "use faulty passes and require that the faults are found");
  CLI11_PARSE(app, argc, argv);
  if (!arguments.keep.empty())
    std::filesystem::create_directories(arguments.keep);
  registerPasses();
  registerPipelines();
  mlir::registerTransformsPasses();
  const auto isFine = runArguments(arguments);
  if (!isFine) {
    fmt::print(stderr, "{}\n", isFine.error().message());
    return 2;
  }
  return *isFine ? 0 : 1;
}
