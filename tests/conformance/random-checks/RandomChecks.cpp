// Random testing of the whole rig: does what `tilerig check` does, for thousands of random models in random
// precisions, on random machines and numbers of tiles, half of them with random strategies.
//
//   tilerig-random-checks --seeds 1:2000 --log checks.jsonl --keep wrong
//       seeds 1 to 2000, without those that the log already has
//   --nodes N     about the largest number of nodes in a model (default 12)
//   --operators   core: floats of fixed shapes in operator sets 7 to 21 (default); every: also integers, control flow,
//                 sizes that depend on data, quantised operators, those of ONNX Runtime, and operator sets 22 to 24
//   --log FILE    appends a JSON line for each finished seed; an interrupted run continues from it
//   --keep DIR    folder for failing cases, shrunk: model, inputs, strategy, and the command to repeat them
//   --least-run P least percentage of the cases that must run (default 40); the others may be refused as not
//                 supported
//   --edges       inputs and weights hold NaN, infinities, subnormals and huge numbers
//   --control     negative control: alters the constants of the programs, and expects that the comparison
//                 notices at least half of the altered programs
//
// Exit code: 0 all cases that ran are right, 1 something is wrong, 2 usage.
#include "isa/Base/Support/File.h"
#include "isa/Base/Support/Json.h"
#include "isa/Base/Tensor/Npz.h"
#include "tests/conformance/random-checks/Case.h"
#include "tests/conformance/random-graphs/Shrink.h"
#include "tests/conformance/random-graphs/Watchdog.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <fstream>

using namespace tilerig;
using namespace tilerig::checks;

namespace {

using Json = nlohmann::json;

constexpr unsigned secondsOfACase = 120; // limit of CPU time for a case

struct Arguments {
  std::string seeds, log, keep;
  int nodes = 12;
  unsigned leastRun = 40;
  bool control = false, edges = false;
  test::RandomOperators operators = test::RandomOperators::core;
};

const char *nameOf(Finding::Kind kind) {
  constexpr const char *names[] = {"error", "fault", "bits", "emitted", "rounded"};
  return names[static_cast<size_t>(kind)];
}

struct Totals {
  size_t cases = 0, refused = 0, wrong = 0, tensors = 0, emitted = 0, rounded = 0;
  std::map<std::string, size_t> operators;

  void add(const Json &line) {
    ++cases;
    refused += line["outcome"] == "refused";
    wrong += line["outcome"] == "wrong";
    tensors += line["tensors"].get<size_t>();
    emitted += line["emitted"].get<size_t>();
    rounded += line.value("rounded", size_t{0});
    for (const Json &name : line["operators"])
      ++operators[name.get<std::string>()];
  }
};

class Campaign {
public:
  explicit Campaign(const Arguments &arguments) : arguments(arguments), threads(2) {}

  Status readLog() {
    if (arguments.log.empty() || !std::filesystem::exists(arguments.log))
      return success();
    TILERIG_TRY(const std::string text, readText(arguments.log));
    size_t end = 0; // end of the last complete line: an interrupted run may have left a partial line
    for (size_t begin = 0; (end = text.find('\n', begin)) != text.npos; begin = end + 1) {
      const Json line = Json::parse(text.substr(begin, end - begin), nullptr, false);
      if (line.is_discarded())
        return invalidInput(arguments.log, "holds a line that is no JSON", "begin another log");
      totals.add(line);
      done.insert(line["seed"].get<uint64_t>());
    }
    return success();
  }

  Status runSeed(uint64_t seed) {
    if (done.contains(seed))
      return success();
    const meaning::Watchdog watchdog(fmt::format("seed {}", seed), secondsOfACase);
    Case testCase = (arguments.edges ? edgeCase : randomCase)(seed, arguments.nodes, arguments.operators);
    // The case is written before it runs, because a crash leaves no other trace.
    TILERIG_CHECK_OK(keep(seed, testCase));
    const Verdict verdict = seed % 2 ? judge(testCase, threads) : judgeWithHints(testCase, seed, threads);
    if (!verdict.finding)
      forget(seed);
    else
      TILERIG_CHECK_OK(report(seed, testCase, *verdict.finding));
    return write(lineOf(seed, testCase.setting, verdict));
  }

  // Runs a case with altered constants. Increments `broken` if the case has constants, and `detections` if
  // the comparison of tensors shows the change.
  void runControl(uint64_t seed, size_t &broken, size_t &detections) {
    Case testCase = randomCase(seed, arguments.nodes, arguments.operators);
    testCase.setting.breaksConstants = true;
    const Verdict verdict = judge(testCase, threads);
    broken += verdict.broken;
    detections += verdict.broken && verdict.finding && verdict.finding->kind == Finding::Kind::bits;
  }

  bool printTotals() const {
    fmt::print("{} cases: {} refused, {} wrong; {} tensors, {} layers as emitted and {} as rounded compared, "
               "of {} operators\n",
               totals.cases, totals.refused, totals.wrong, totals.tensors, totals.emitted, totals.rounded,
               totals.operators.size());
    const size_t percent = totals.cases ? 100 * (totals.cases - totals.refused) / totals.cases : 0;
    if (percent < arguments.leastRun)
      fmt::print("only {} % of the cases ran; {} are wanted\n", percent, arguments.leastRun);
    return totals.wrong == 0 && percent >= arguments.leastRun;
  }

private:
  static Json lineOf(uint64_t seed, const Setting &setting, const Verdict &verdict) {
    return {{"seed", seed},
            {"precision", setting.precision},
            {"machine", setting.machine},
            {"tiles", setting.tiles},
            {"hints", !setting.strategy.layers.empty()},
            {"outcome", verdict.finding            ? "wrong"
                        : !verdict.refused.empty() ? "refused"
                                                   : "right"},
            {"kind", verdict.finding ? Json(nameOf(verdict.finding->kind)) : Json()},
            {"what", verdict.finding ? verdict.finding->description : verdict.refused},
            {"tensors", verdict.tensors},
            {"emitted", verdict.emitted},
            {"rounded", verdict.rounded},
            {"operators", verdict.operators}};
  }

  Status write(const Json &line) {
    totals.add(line);
    if (arguments.log.empty())
      return success();
    std::ofstream log(arguments.log, std::ios::app);
    log << line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n" << std::flush;
    return log ? success() : Status(invalidInput(arguments.log, "cannot be written"));
  }

  Status report(uint64_t seed, const Case &testCase, const Finding &finding) {
    fmt::print("seed {}: {}: {}\n", seed, nameOf(finding.kind), finding.description);
    Case smaller = testCase;
    smaller.trial = meaning::shrink(testCase.trial, [&](const meaning::Trial &trial) {
      const Verdict verdict = judge({trial, testCase.calibration, testCase.setting}, threads);
      return verdict.finding && verdict.finding->isLike(finding);
    });
    std::vector<std::string> operators;
    for (const onnx::NodeProto &node : smaller.trial.model.graph().node())
      operators.push_back(node.op_type());
    fmt::print("  shrinks to {}\n", fmt::join(operators, ", "));
    if (!arguments.keep.empty())
      fmt::print("  {}\n", commandOf(stemOf(seed), smaller));
    return keep(seed, smaller);
  }

  std::string stemOf(uint64_t seed) const { return fmt::format("{}/seed-{}", arguments.keep, seed); }

  void forget(uint64_t seed) const {
    if (arguments.keep.empty())
      return;
    for (const char *ending : {".npz", ".onnx", "-calibration.npz", ".json", ".sh"})
      std::filesystem::remove(stemOf(seed) + ending);
  }

  static std::string commandOf(const std::string &stem, const Case &testCase) {
    const Setting &setting = testCase.setting;
    std::string command =
        fmt::format("tilerig check {0}.onnx -i {0}.npz --precision {1} --machine {2} --tiles {3}", stem,
                    setting.precision, setting.machine, setting.tiles);
    if (!testCase.calibration.empty())
      command += " --calibration " + stem + "-calibration.npz";
    if (setting.pinsWeights)
      command += " --wb-pin-ocm";
    if (!setting.strategy.layers.empty())
      command += " --strategy " + stem + ".json";
    return command;
  }

  Status keep(uint64_t seed, const Case &testCase) const {
    if (arguments.keep.empty())
      return success();
    const std::string stem = stemOf(seed);
    TensorMap inputs;
    for (const auto &[name, tensor] : testCase.trial.inputs)
      TILERIG_CHECK_OK(inputs.add(name, tensor));
    TILERIG_CHECK_OK(writeNpz(stem + ".npz", inputs));
    TILERIG_CHECK_OK(writeText(stem + ".onnx", testCase.trial.model.SerializeAsString()));
    if (!testCase.calibration.empty()) {
      TensorMap calibration;
      for (const auto &[name, tensor] : testCase.calibration)
        TILERIG_CHECK_OK(calibration.add(name, tensor));
      TILERIG_CHECK_OK(writeNpz(stem + "-calibration.npz", calibration));
    }
    if (!testCase.setting.strategy.layers.empty())
      TILERIG_CHECK_OK(writeText(stem + ".json", printStrategy(testCase.setting.strategy)));
    return writeText(stem + ".sh", commandOf(stem, testCase) + "\n");
  }

  const Arguments &arguments;
  reference::Threads threads;
  Totals totals;
  std::set<uint64_t> done;
};

Result<bool> runAll(const Arguments &arguments) {
  std::pair<uint64_t, uint64_t> seeds;
  if (std::sscanf(arguments.seeds.c_str(), "%lu:%lu", &seeds.first, &seeds.second) != 2)
    return usageError("--seeds", "must have the form FIRST:LAST");
  Campaign campaign(arguments);
  if (arguments.control) {
    size_t broken = 0, detections = 0;
    for (uint64_t seed = seeds.first; seed <= seeds.second; ++seed)
      campaign.runControl(seed, broken, detections);
    fmt::print("{} programs with altered constants, {} of them found out\n", broken, detections);
    return broken > 0 && detections * 2 >= broken;
  }
  TILERIG_CHECK_OK(campaign.readLog());
  for (uint64_t seed = seeds.first; seed <= seeds.second; ++seed)
    TILERIG_CHECK_OK(campaign.runSeed(seed));
  return campaign.printTotals();
}

} // namespace

int main(int argc, char **argv) {
  Arguments arguments;
  CLI::App app("Compares random models on compiler, emulator and reference");
  app.add_option("--seeds", arguments.seeds, "seeds of the cases, as FIRST:LAST")->required();
  app.add_option("--nodes", arguments.nodes, "approximate limit of nodes in a model")
      ->check(CLI::Range(3, 1000));
  app.add_option("--operators", arguments.operators, "operators of the models: core or every")
      ->transform(CLI::CheckedTransformer(std::map<std::string, test::RandomOperators>{
          {"core", test::RandomOperators::core}, {"every", test::RandomOperators::every}}));
  app.add_option("--log", arguments.log, "file that gets a JSON line for each seed; seeds in it are skipped");
  app.add_option("--keep", arguments.keep, "folder for failing cases, reduced to small ones");
  app.add_option("--least-run", arguments.leastRun, "percentage of the cases that must not be refused")
      ->check(CLI::Range(0, 100));
  app.add_flag("--edges", arguments.edges,
               "use inputs and weights with NaN, infinities, subnormals, huge numbers");
  app.add_flag("--control", arguments.control, "inject errors into programs and require that they are found");
  CLI11_PARSE(app, argc, argv);
  if (!arguments.keep.empty())
    std::filesystem::create_directories(arguments.keep);
  const auto isFine = runAll(arguments);
  if (!isFine) {
    fmt::print(stderr, "{}\n", isFine.error().message());
    return 2;
  }
  return *isFine ? 0 : 1;
}
