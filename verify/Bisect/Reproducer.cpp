#include "verify/Bisect/Reproducer.h"

#include "compiler/Planning/Quantisation/Precision.h"
#include "compiler/Planning/Quantisation/PrecisionPlan.h"
#include "isa/Base/Support/Progress.h"
#include "isa/Base/Tensor/TensorFiles.h"
#include "verify/Check/ReferenceRun.h"

#include <algorithm>
#include <filesystem>
#include <fmt/core.h>
#include <fmt/ranges.h>

namespace tilerig::verify {

namespace {

constexpr size_t mostTrials = 150; // limit of the effort

class Reduction {
public:
  Reduction(const Subnetworks &subnetworks, const TensorMap &values, const BisectResult &failing,
            Trials &trials)
      : subnetworks(subnetworks), values(values), failing(failing), trials(trials) {}

  Result<std::optional<Reproducer>> run() {
    TILERIG_TRY(const bool isFound, findNodes());
    if (!isFound)
      return std::optional<Reproducer>();
    TILERIG_CHECK_OK(dropNodes());
    TILERIG_CHECK_OK(bypassNodes());
    const bool isSlow =
        best.result.failure == FailureKind::compilerTimeout || best.result.failure == FailureKind::runTimeout;
    if (!isSlow) {
      TILERIG_CHECK_OK(cutAxes());
      TILERIG_CHECK_OK(clearTensors());
    }
    best.trials = count;
    return std::optional(std::move(best));
  }

private:
  bool isSame(const TrialResult &result, const WrongTensor *wrong) const {
    if (result.failure != failing.shortest.failure || !areAlike(result, failing.shortest))
      return false;
    const WrongTensor &expected = failing.layer.wrong;
    return expected.layer.empty() || (wrong && wrong->kind == expected.kind && wrong->by == expected.by &&
                                      (best.nodes.empty() || wrong->verdict == best.wrong.verdict));
  }

  // Tries a network; keeps it if its failure is the same.
  Result<bool> attempt(ModelWithInputs network, const std::vector<NodeIndex> &nodes) {
    if (count == mostTrials)
      return false;
    ++count;
    progress.advance();
    const Result<std::string> bytes = bytesOf(network.model, "reproducer");
    if (!bytes)
      return false;
    TILERIG_TRY(TrialResult result,
                trials.tryReduced(SourceModel::of("reproducer", *bytes), network.inputs, nodes));
    const auto first = firstWrong(subnetworks, result);
    if (!isSame(result, first ? first->wrong : nullptr))
      return false;
    best.network = std::move(network);
    best.nodes = nodes;
    best.options = trials.lastOptions();
    best.wrong = first ? *first->wrong : WrongTensor();
    best.result = std::move(result);
    return true;
  }

  Result<bool> attemptNodes(const std::vector<NodeIndex> &nodes) {
    const Result<SourceModel> subnetwork = subnetworks.madeOf(nodes, values, "reproducer");
    if (!subnetwork)
      return false;
    ModelWithInputs network;
    const std::span<const std::byte> bytes = subnetwork->content();
    network.model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
    TILERIG_CHECK_OK(embedData(network.model, subnetwork->dataFolder()));
    TILERIG_TRY(network.inputs, Subnetworks::inputsOf(*subnetwork, values));
    return attempt(std::move(network), nodes);
  }

  // Looks for nodes that fail together: those of the failing layer and, if these do not fail, the nodes before them, twice as
  // far back each time.
  Result<bool> findNodes() {
    std::set<NodeIndex> nodes(failing.layer.nodes.begin(), failing.layer.nodes.end());
    for (size_t steps = 1;; steps *= 2) {
      TILERIG_TRY(const bool fails, attemptNodes({nodes.begin(), nodes.end()}));
      if (fails)
        return true;
      const size_t before = nodes.size();
      for (size_t step = 0; step < steps; ++step)
        addNodesBefore(nodes);
      if (nodes.size() == before)
        return false;
    }
  }

  void addNodesBefore(std::set<NodeIndex> &nodes) const {
    for (const NodeIndex node : std::set<NodeIndex>(nodes))
      for (const NodeIndex before : subnetworks.readBy(node))
        nodes.insert(before);
  }

  // The nodes of the original model that a reduced network still has.
  std::vector<NodeIndex> nodesOf(const onnx::ModelProto &model) const {
    std::set<NodeIndex> nodes;
    for (const onnx::NodeProto &node : model.graph().node())
      if (const auto index = subnetworks.nodeNamed(node.name()))
        nodes.insert(*index);
    // Where names are not unique, all nodes from which the network was made.
    return nodes.size() == static_cast<size_t>(model.graph().node_size())
               ? std::vector<NodeIndex>(nodes.begin(), nodes.end())
               : best.nodes;
  }

  // Leaves out nodes one by one, the first ones first; what reads their results reads their inputs instead.
  Status bypassNodes() {
    for (int node = 0;
         node < best.network.model.graph().node_size() && best.network.model.graph().node_size() > 1;) {
      TILERIG_TRY(const std::optional<ModelWithInputs> rest, withoutNode(best.network, node, values));
      bool fails = false;
      if (rest) {
        TILERIG_TRY(fails, attempt(*rest, nodesOf(rest->model)));
      }
      node += !fails;
    }
    return success();
  }

  Status dropNodes() {
    const std::vector<NodeIndex> all = best.nodes;
    for (const NodeIndex dropped : all) {
      std::vector<NodeIndex> rest = best.nodes;
      std::erase(rest, dropped);
      if (rest.empty())
        break;
      TILERIG_TRY(const bool fails, attemptNodes(rest));
      (void)fails; // what fails in the same way has been kept
    }
    return success();
  }

  // Cuts the axes of each size, the largest first, to the smallest power of two that still fails.
  Status cutAxes() {
    const std::set<int64_t> sizes = axisSizes(best.network);
    for (auto size = sizes.rbegin(); size != sizes.rend(); ++size)
      for (int64_t smaller = 1; smaller < *size; smaller *= 2) {
        const Result<ModelWithInputs> cut = withAxesCut(best.network, *size, smaller);
        if (!cut)
          break;
        TILERIG_TRY(const bool fails, attempt(*cut, best.nodes));
        if (fails)
          break;
      }
    return success();
  }

  Status clearTensors() {
    for (const std::string &tensor : tensorsWithValues(best.network)) {
      const Result<ModelWithInputs> cleared = withZeros(best.network, tensor);
      if (!cleared)
        continue;
      TILERIG_TRY(const bool fails, attempt(*cleared, best.nodes));
      (void)fails;
    }
    return success();
  }

  const Subnetworks &subnetworks;
  const TensorMap &values;
  const BisectResult &failing;
  Trials &trials;
  Progress progress{"reducing the failing network", mostTrials};
  Reproducer best;
  size_t count = 0;
};

// The right outputs of the network, computed by the reference.
Result<TensorMap> expectedOf(const ModelWithInputs &network) {
  TILERIG_TRY(const std::string bytes, bytesOf(network.model, "reproducer"));
  TILERIG_TRY(reference::Model model, SourceModel::of("reproducer", bytes).forReference());
  reference::Threads threads(1);
  TILERIG_TRY(const ReferenceRun run,
              ReferenceRun::load(std::move(model), reference::Arithmetic::fast, threads));
  TILERIG_TRY(const TensorMap all, run.run(network.inputs));
  TensorMap outputs;
  for (const onnx::ValueInfoProto &output : network.model.graph().output()) {
    TILERIG_TRY(const Tensor *tensor, all.get(output.name()));
    TILERIG_CHECK_OK(outputs.add(output.name(), *tensor));
  }
  return outputs;
}

std::string describeInputs(const TensorMap &inputs) {
  std::vector<std::string> texts;
  for (const NamedTensor &input : inputs)
    texts.push_back(input.name + " " + showShape(input.tensor.shape()));
  return fmt::format("{}", fmt::join(texts, ", "));
}

// A block of Markdown with commands.
std::string fenced(const std::string &commands) {
  std::string fence = "```"; // longer than any in the commands
  while (commands.find(fence) != commands.npos)
    fence += '`';
  return fence + "\n" + commands + "\n" + fence + "\n\n";
}

std::string pageOf(const Reproducer &reproducer, const std::string &command, const std::string &debugging,
                   const std::string &outputs) {
  std::vector<std::string> operators;
  for (const onnx::NodeProto &node : reproducer.network.model.graph().node())
    operators.push_back(node.op_type());
  const WrongTensor &wrong = reproducer.wrong;
  std::string page = fmt::format(
      "# A network that fails\n\nFailure: {}{}: {}{}\n\nNodes: {}. Inputs: {}. {} elements of inputs and constants are not zero.\n\n",
      nameOf(reproducer.result.failure),
      wrong.layer.empty() ? "" : fmt::format(" in layer {} ({})", wrong.layer, wrong.kind),
      reproducer.result.reason, wrong.verdict.empty() ? "" : "; it looks like " + wrong.verdict,
      fmt::join(operators, ", "), describeInputs(reproducer.network.inputs), countValues(reproducer.network));
  page += "This command shows the failure:\n\n" + fenced(command) + outputs + "\n";
  if (reproducer.result.failure == FailureKind::mismatch)
    page +=
        "\nIn this folder, these commands name the instruction that wrote the first wrong element. Without `-c "
        "first-difference`, the last one starts a session, in which `continue` stops there:\n\n" +
        fenced(debugging);
  return page;
}

// The words that give the precision and the bug of the reproducer.
std::string precisionWords(const TrialOptions &options) {
  const bool isPlan = !compiler::parsePrecision(options.compile.precision);
  return " --precision " + (isPlan ? "precision.json" : options.compile.precision);
}
std::string injectWords(const TrialOptions &options) {
  return options.inject.empty() ? "" : " --inject " + shellWord(options.inject);
}

// The commands that find the first wrong element of the program and the instruction that wrote it.
std::string debuggingOf(const Reproducer &reproducer, const ReproducerOptions &options) {
  const auto plan = compiler::PrecisionPlan::read(reproducer.options.compile.precision);
  const bool hasStrategy = !reproducer.options.compile.program.strategy.layers.empty();
  // Like check, which calibrates 8-bit types with the inputs.
  const std::string network = " model.onnx" + options.graph + precisionWords(reproducer.options) +
                              (plan && plan->needsCalibration() ? " --calibration inputs.npz" : "");
  return "tilerig compile" + network + options.program + (hasStrategy ? " --strategy strategy.json" : "") +
         injectWords(reproducer.options) + " --allow-unproved -o model.trb\n" + //
         "tilerig compile" + network + " --emit onnx -o exact.onnx\n" +
         "tilerig reference exact.onnx -i inputs.npz --arithmetic machine --capture all --capture-to values.npz\n"
         "tilerig debug model.trb -i inputs.npz --expected values.npz -c first-difference";
}

} // namespace

Result<std::optional<Reproducer>> reduce(const Subnetworks &subnetworks, const TensorMap &values,
                                         const BisectResult &failing, Trials &trials) {
  return Reduction(subnetworks, values, failing, trials).run();
}

Status writeReproducer(const Reproducer &reproducer, const std::string &folder,
                       const ReproducerOptions &given) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure)
    return invalidInput(folder, fmt::format("the folder cannot be created: {}", failure.message()),
                        "choose another folder with --output");
  TILERIG_TRY(const std::string bytes, bytesOf(reproducer.network.model, "reproducer"));
  TILERIG_CHECK_OK(writeText(folder + "/model.onnx", bytes));
  TILERIG_CHECK_OK(writeTensors(folder + "/inputs.npz", reproducer.network.inputs));
  const TrialOptions &options = reproducer.options;
  std::string words = given.limit + "tilerig check" + given.graph + given.program +
                      " model.onnx -i inputs.npz" + precisionWords(options);
  if (!compiler::parsePrecision(options.compile.precision)) {
    TILERIG_TRY(const std::string plan, readText(options.compile.precision));
    TILERIG_CHECK_OK(writeText(folder + "/precision.json", plan));
  }
  if (!options.compile.program.strategy.layers.empty()) {
    TILERIG_CHECK_OK(
        writeText(folder + "/strategy.json", compiler::printStrategy(options.compile.program.strategy)));
    words += " --strategy strategy.json";
  }
  words += injectWords(options);
  const Result<TensorMap> expected = expectedOf(reproducer.network);
  if (expected)
    TILERIG_CHECK_OK(writeTensors(folder + "/expected.npz", *expected));
  const std::string outputs =
      expected
          ? "`expected.npz` has the right outputs, computed in floats by `tilerig reference model.onnx -i inputs.npz`."
          : "There are no right outputs, because the reference cannot compute them: " +
                expected.error().message();
  return writeText(folder + "/README.md", pageOf(reproducer, words, debuggingOf(reproducer, given), outputs));
}

void removeReproducer(const std::string &folder) {
  std::error_code ignored;
  for (const char *file :
       {"model.onnx", "inputs.npz", "expected.npz", "precision.json", "strategy.json", "README.md"})
    std::filesystem::remove(folder + "/" + file, ignored);
}

std::string shellWord(const std::string &text) {
  const auto isPlain = [](char letter) {
    return (letter >= '0' && letter <= '9') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= 'a' && letter <= 'z') ||
           std::string_view("_./:=,@%+-").find(letter) != std::string_view::npos;
  };
  if (!text.empty() && std::ranges::all_of(text, isPlain))
    return text;
  std::string quoted = "'";
  for (const char letter : text)
    quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
  return quoted + "'";
}

} // namespace tilerig::verify
