#include "verify/Bisect/Trial.h"

#include "emulator/Execute/Vectors.h"
#include "isa/Base/Support/StrictJson.h"
#include "verify/Bisect/ChildProcess.h"
#include "verify/Bisect/StarvedWait.h"
#include "verify/Check/Check.h"
#include "verify/Check/Injection.h"

#include <algorithm>
#include <array>
#include <fmt/core.h>
#include <map>
#include <set>

namespace tilerig::verify {

namespace {

constexpr auto failureNames = std::to_array<std::string_view>(
    {"none", "compile_error", "compiler_crash", "compiler_timeout", "not_proved", "fault", "emulator_crash",
     "emulator_timeout", "mismatch", "wrong_layer"});

// Messages of the child: what it does, then its result.
constexpr const char *running = "running";

WrongTensor ofLayer(const Program &program, uint32_t index, std::string by, std::string reason) {
  WrongTensor wrong{.by = std::move(by), .reason = std::move(reason)};
  if (index >= static_cast<uint32_t>(program.metadata.layers_size()))
    return wrong;
  const proto::Layer &layer = program.metadata.layers(static_cast<int>(index));
  wrong.layer = layer.name();
  wrong.kind = layer.kind();
  wrong.nodes.assign(layer.onnx_nodes().begin(), layer.onnx_nodes().end());
  wrong.ops.assign(layer.onnx_ops().begin(), layer.onnx_ops().end());
  return wrong;
}

LayerIdentity identityOf(const Program &program, uint32_t index) {
  if (index >= static_cast<uint32_t>(program.metadata.layers_size()))
    return {};
  const proto::Layer &layer = program.metadata.layers(static_cast<int>(index));
  LayerIdentity identity{{layer.onnx_nodes().begin(), layer.onnx_nodes().end()}, layer.kind()};
  for (uint32_t i = 0; i < index; ++i)
    identity.position += identity.isMadeLike(program.metadata.layers(static_cast<int>(i)));
  return identity;
}

const proto::Tensor *placementOf(const Program &program, const std::string &tensor) {
  const auto entry = std::ranges::find(program.metadata.tensors(), tensor, &proto::Tensor::name);
  return entry == program.metadata.tensors().end() ? nullptr : &*entry;
}

WrongTensor ofTensor(const Program &program, const std::string &tensor, std::string by, std::string reason) {
  const proto::Tensor *placement = placementOf(program, tensor);
  WrongTensor wrong = placement
                          ? ofLayer(program, placement->layer(), std::move(by), std::move(reason))
                          : WrongTensor{.layer = tensor, .by = std::move(by), .reason = std::move(reason)};
  wrong.tensor = tensor;
  return wrong;
}

// Whether a compilation failed because a bug of a pass cannot be injected into this network (isa/Bugs/Draw.h).
bool isInjectionError(const Error &error, const BugChoice &bug) {
  return (error.kind == ErrorKind::usage && error.place == bug.layer) ||
         (error.kind == ErrorKind::unsupported &&
          (error.place == "the bug" || error.place == bug.bug->id || error.place.starts_with("parameter '")));
}

// The check of a network in the child process.
class TrialCheck {
public:
  TrialCheck(const SourceModel &source, const TensorMap &inputs, const TrialOptions &options,
             const SendLine &send)
      : source(source), inputs(inputs), options(options), send(send), deviceOptions(options.device),
        threads(options.threads) {}

  TrialResult run() {
    if (const Status ended = check(); !ended) {
      result.failure = isRunning ? FailureKind::fault : FailureKind::compileError;
      result.reason = withoutModel(ended.error().message());
      if (isAboutOptions(ended.error()))
        result.wrongUsage = ended.error();
    }
    return std::move(result);
  }

private:
  Status check() {
    Result<Check> created = Check::create(source, inputs, options.compile, threads);
    const std::optional<BugChoice> &passBug = options.compile.passBug;
    if (!created && passBug && isInjectionError(created.error(), *passBug)) {
      result.notInjected = created.error().message();
      return success();
    }
    TILERIG_TRY(const Check compiled, std::move(created));
    result.strategy = compiler::printStrategy(compiled.model().strategy);
    isRunning = true;
    send(running);
    TILERIG_CHECK_OK(emulator::chooseVectors());
    Program program = compiled.program();
    if (!options.inject.empty()) {
      TILERIG_TRY(BugChoice choice, parseBugChoice(options.inject));
      choice.layer = layerHere(choice.layer, program);
      Result<Mutant> mutant = injectBug(compiled.model(), options.compile, choice, options.injectSeed);
      if (!mutant) {
        result.notInjected = mutant.error().message();
        return success();
      }
      result.injected = printBugChoice(mutant->bug.choice);
      result.injectedLayer = mutant->bug.layerName;
      result.injectedIdentity = identityOf(mutant->program, mutant->bug.layer);
      deviceOptions.faultFile = mutant->faultFile;
      program = std::move(mutant->program);
    }
    TILERIG_TRY(const CheckRun ran, compiled.run(std::move(program), deviceOptions));
    result.isEquivalent = !result.injected.empty() && compiled.agrees(ran);
    TILERIG_CHECK_OK(addTensors(compiled, ran));
    TILERIG_CHECK_OK(replaceFirst(compiled, ran));
    TILERIG_CHECK_OK(addEmitted(compiled, ran.program));
    settle(ran);
    addReads(compiled, ran.program);
    return success();
  }

  // The name of a bug's layer in this network: where it is a number, that of the layer that is made from the same nodes.
  std::string layerHere(const std::string &layer, const Program &program) const {
    if (!layer.starts_with('#') || !options.injectLayer)
      return layer;
    size_t before = 0;
    for (const proto::Layer &other : program.metadata.layers())
      if (options.injectLayer->isMadeLike(other) && before++ == options.injectLayer->position)
        return fmt::format("#{}", other.id() + 1);
    return "a layer of these nodes"; // which no network has
  }

  // A message without the name of the model, which is another one for each shortened network.
  std::string withoutModel(const std::string &message) const {
    const std::string prefix = source.name() + ": ";
    return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
  }

  // Whether an option or a file that an option names is wrong, rather than the network.
  bool isAboutOptions(const Error &error) const {
    return error.kind == ErrorKind::usage ||
           (error.kind == ErrorKind::invalidInput && !error.place.starts_with(source.name()));
  }

  // Adds the tensors of the device that are wrong by themselves.
  Status addTensors(const Check &compiled, const CheckRun &ran) {
    JudgeOptions judging;
    judging.threads = threads.count();
    return ran.accumulated.ended ? compiled.judge(ran, judging,
                                                  [&](const CheckedTensor &tensor) -> Status {
                                                    return addTensor(compiled, ran, tensor);
                                                  })
                                 : success();
  }

  Status addTensor(const Check &compiled, const CheckRun &ran, const CheckedTensor &tensor) {
    const TensorStatus status = tensor.comparison.status;
    if (status == TensorStatus::match || status == TensorStatus::inherited)
      return success();
    WrongTensor wrong = ofTensor(ran.program, tensor.match.name, "device", tensor.comparison.reason);
    const proto::Tensor *placement = placementOf(ran.program, tensor.match.name);
    if (result.wrong.empty() && options.replacesFirst)
      TILERIG_CHECK_OK(firstRight.add(tensor.match.name, tensor.stored.reference));
    if (placement && result.wrong.empty()) {
      const WrongRun run{ran.program, compiled.inputs(), deviceOptions};
      TILERIG_TRY(wrong.place,
                  findWrongPlace(run, *placement, tensor.stored.reference, tensor.stored.target));
    }
    if (options.verdictOn && result.wrong.empty()) {
      TILERIG_TRY(wrong.verdict, options.verdictOn(compiled, ran, tensor, threads));
    }
    result.wrong.push_back(std::move(wrong));
    return success();
  }

  // Runs the program with the right values in place of the first wrong tensor.
  Status replaceFirst(const Check &compiled, const CheckRun &ran) {
    if (firstRight.size() == 0)
      return success();
    TILERIG_TRY(const DeviceRun replaced,
                runReplaced(ran.program, compiled.inputs(), firstRight, deviceOptions));
    result.clears = replaced.ended && compiled.agrees(ran.program, replaced);
    return success();
  }

  Status addEmitted(const Check &compiled, const Program &program) {
    TILERIG_TRY(const std::vector<EmittedLayer> emitted, compiled.judgeEmittedLayers());
    for (const EmittedLayer &layer : emitted)
      if (layer.comparison.status == TensorStatus::match)
        result.emittedRight.push_back(layer.name);
      else
        result.wrong.push_back(ofTensor(program, layer.name, "emitted", layer.comparison.reason));
    TILERIG_TRY(const std::vector<RoundedLayer> rounded, compiled.judgeRoundedLayers());
    for (const RoundedLayer &layer : rounded)
      if (layer.status != TensorStatus::match)
        result.wrong.push_back(ofTensor(program, layer.name, "rounded", layer.reason));
    return success();
  }

  // If the analyser has proved that synchronisation is missing, and what is missing is known: the layer that lacks it.
  static std::optional<WrongTensor> layerWithoutOrder(const CheckRun &ran) {
    if (!ran.cause || !ran.cause->missing)
      return {};
    return ofLayer(ran.program, ran.cause->missing->layer, ran.cause->lacking->kind,
                   ran.cause->lacking->text);
  }

  // Of a deadlock, the layer that waits first; of other findings, such as a race, the last layer, which may read wrong data.
  static std::optional<uint32_t> layerOf(const Program &program, const Finding &finding) {
    if (finding.kind == nameOf(ProblemKind::waitNeverSatisfied) && !finding.places.empty())
      if (const auto starved = layerOfFirstStarvedWait(program, finding.places.front()))
        return starved;
    std::optional<uint32_t> layer;
    const bool isDeadlock = finding.kind == nameOf(ProblemKind::deadlock);
    for (const Place &place : finding.places)
      if (!place.host)
        layer = !layer       ? place.layer
                : isDeadlock ? std::min(*layer, place.layer)
                             : std::max(*layer, place.layer);
    return layer;
  }

  // Adds findings that may make a tensor wrong. Signals for which nothing waits are added only if there is nothing else.
  void addFindings(const Program &program, const std::vector<Finding> &findings) {
    for (const bool isLeftOver : {false, true})
      for (const Finding &finding : findings)
        if (const auto layer = layerOf(program, finding);
            layer && (finding.kind == nameOf(ProblemKind::semaphoreLeftOver)) == isLeftOver &&
            (!isLeftOver || result.wrong.empty()))
          result.wrong.push_back(ofLayer(program, *layer, finding.kind, finding.text));
  }

  // Adds to everything that is wrong the layers whose results it reads.
  void addReads(const Check &compiled, const Program &program) {
    std::map<std::string, std::string> layers; // by tensor
    for (const proto::Tensor &tensor : program.metadata.tensors())
      if (tensor.role() != proto::INPUT &&
          tensor.layer() < static_cast<uint32_t>(program.metadata.layers_size()))
        layers[tensor.name()] = program.metadata.layers(static_cast<int>(tensor.layer())).name();
    std::map<std::string, std::set<std::string>> reads; // by layer
    for (const auto &[tensor, from] : sourcesOf(compiled.model().oracle.graph(), tensorNames(program)))
      if (const auto layer = layers.find(tensor); layer != layers.end())
        for (const std::string &source : from)
          if (const auto other = layers.find(source); other != layers.end())
            reads[layer->second].insert(other->second);
    for (WrongTensor &wrong : result.wrong)
      if (const auto entry = reads.find(wrong.layer); entry != reads.end())
        wrong.reads.assign(entry->second.begin(), entry->second.end());
  }

  // Decides what kind of failure this is. What is proved says in which layer the failure is; otherwise the tensors that are wrong
  // do, and if there are none, the findings of the analyser or the traps.
  void settle(const CheckRun &ran) {
    if (const auto wrong = layerWithoutOrder(ran)) {
      // What was found out about the first wrong tensor is not about this layer.
      if (!result.wrong.empty() && result.wrong.front().layer != wrong->layer)
        result.clears.reset();
      std::erase_if(result.wrong, [&](const WrongTensor &other) { return other.layer != wrong->layer; });
      if (result.wrong.empty())
        result.wrong.push_back(*wrong);
    }
    if (!ran.notProved.empty()) {
      result.failure = FailureKind::notProved;
      result.reason = ran.notProved;
    } else if (!ran.accumulated.faults.empty()) {
      result.failure = FailureKind::fault;
      result.reason = ran.accumulated.faults.front();
    } else if (!result.wrong.empty()) {
      result.failure = result.wrong.front().by == "device" ? FailureKind::mismatch : FailureKind::wrongLayer;
      result.reason = result.wrong.front().reason;
    }
    if (result.wrong.empty() && result.failure != FailureKind::none) {
      addFindings(ran.program, ran.findings);
      addFindings(ran.program, ran.accumulated.traps);
    }
  }

  const SourceModel &source;
  const TensorMap &inputs;
  const TrialOptions &options;
  const SendLine &send;
  DeviceOptions deviceOptions;
  reference::Threads threads;
  TrialResult result;
  TensorMap firstRight; // the right values of the first wrong tensor, if it is to be replaced
  bool isRunning = false;
};

std::string lastLineOf(const std::string &text) {
  const size_t at = text.find_last_of('\n');
  return at == text.npos ? text : text.substr(at + 1);
}

} // namespace

std::string_view nameOf(FailureKind kind) { return failureNames[static_cast<size_t>(kind)]; }

std::optional<FailureKind> failureKindNamed(std::string_view name) {
  const auto entry = std::ranges::find(failureNames, name);
  return entry == failureNames.end() ? std::nullopt
                                     : std::optional(static_cast<FailureKind>(entry - failureNames.begin()));
}

bool isOfCompiler(FailureKind kind) {
  return kind == FailureKind::compileError || kind == FailureKind::compilerCrash ||
         kind == FailureKind::compilerTimeout;
}

// A message without names and numbers, which change with the network.
static std::string withoutDetails(const std::string &message) {
  std::string text;
  bool isQuoted = false;
  for (const char letter : message)
    if (letter == '\'')
      isQuoted = !isQuoted;
    else if (!isQuoted && (letter < '0' || letter > '9'))
      text += letter;
  return text;
}

bool areAlike(const TrialResult &first, const TrialResult &second) {
  const FailureKind kind = first.failure, other = second.failure;
  if (kind == FailureKind::none || other == FailureKind::none || isOfCompiler(kind) || isOfCompiler(other))
    return kind == other && (kind != FailureKind::compileError ||
                             withoutDetails(first.reason) == withoutDetails(second.reason));
  return true;
}

Result<TrialResult> runTrial(const SourceModel &source, const TensorMap &inputs,
                             const TrialOptions &options) {
  const auto body = [&](const SendLine &send) {
    send(asJson(TrialCheck(source, inputs, options, send).run())
             .dump(-1, ' ', false, Json::error_handler_t::replace));
  };
  TILERIG_TRY(const ChildEnd end, runInChild(body, options.seconds));
  if (end.kind == ChildEnd::Kind::finished && !end.lines.empty()) {
    TILERIG_TRY(const Json json, parseStrictJson(end.lines.back(), "result of a trial"));
    return trialFromJson(json);
  }
  if (end.kind == ChildEnd::Kind::finished)
    return internalError(source.name(), "the process of a trial has ended without a result");
  const bool ran = !end.lines.empty() && end.lines.front() == running;
  const bool crashed = end.kind == ChildEnd::Kind::crashed;
  TrialResult result;
  result.failure = ran       ? crashed ? FailureKind::runCrash : FailureKind::runTimeout
                   : crashed ? FailureKind::compilerCrash
                             : FailureKind::compilerTimeout;
  result.reason = end.reason;
  if (crashed && !end.errors.empty())
    result.reason += ": " + lastLineOf(end.errors);
  return result;
}

static Json identityJson(const LayerIdentity &identity) {
  return {{"onnx_nodes", identity.nodes}, {"kind", identity.kind}, {"position", identity.position}};
}

static Json usageJson(const std::optional<Error> &error) {
  return error ? Json{{"kind", error->kind == ErrorKind::usage ? "usage" : "invalidInput"},
                      {"place", error->place},
                      {"what", error->what},
                      {"remedy", error->remedy}}
               : Json();
}

Json asJson(const TrialResult &result) {
  Json wrong = Json::array();
  for (const WrongTensor &own : result.wrong)
    wrong.push_back({{"tensor", own.tensor},
                     {"layer", own.layer},
                     {"kind", own.kind},
                     {"onnx_nodes", own.nodes},
                     {"onnx_ops", own.ops},
                     {"reads", own.reads},
                     {"by", own.by},
                     {"reason", own.reason},
                     {"verdict", own.verdict},
                     {"place", own.place ? asJson(*own.place) : Json()}});
  return {{"failure", nameOf(result.failure)},
          {"reason", result.reason},
          {"wrong", std::move(wrong)},
          {"strategy", result.strategy},
          {"injected", result.injected},
          {"injected_layer", result.injectedLayer},
          {"injected_made_from", identityJson(result.injectedIdentity)},
          {"not_injected", result.notInjected},
          {"equivalent", result.isEquivalent},
          {"clears", result.clears ? Json(*result.clears) : Json()},
          {"emitted_right", result.emittedRight},
          {"wrong_usage", usageJson(result.wrongUsage)}};
}

static LayerIdentity identityFromJson(const Json &json) {
  return {json.at("onnx_nodes"), json.at("kind"), json.at("position")};
}

static WrongTensor wrongFromJson(const Json &json) {
  WrongTensor wrong{.tensor = json.at("tensor"),
                    .layer = json.at("layer"),
                    .kind = json.at("kind"),
                    .nodes = json.at("onnx_nodes"),
                    .ops = json.at("onnx_ops"),
                    .reads = json.at("reads"),
                    .by = json.at("by"),
                    .reason = json.at("reason"),
                    .verdict = json.at("verdict"),
                    .place = {}};
  if (const Json &place = json.at("place"); !place.is_null())
    wrong.place = placeFromJson(place);
  return wrong;
}

Result<TrialResult> trialFromJson(const Json &json) {
  const Error damaged = invalidInput("result of a trial", "the JSON document is damaged");
  try {
    const auto failure = failureKindNamed(json.at("failure").get<std::string>());
    if (!failure)
      return damaged;
    TrialResult result{.failure = *failure,
                       .reason = json.at("reason"),
                       .wrong = {},
                       .strategy = json.at("strategy"),
                       .injected = json.at("injected"),
                       .injectedLayer = json.at("injected_layer"),
                       .injectedIdentity = identityFromJson(json.at("injected_made_from")),
                       .notInjected = json.at("not_injected"),
                       .wrongUsage = {},
                       .isEquivalent = json.at("equivalent")};
    if (const Json &usage = json.at("wrong_usage"); !usage.is_null())
      result.wrongUsage = Error{usage.at("kind") == "usage" ? ErrorKind::usage : ErrorKind::invalidInput,
                                usage.at("place"), usage.at("what"), usage.at("remedy")};
    if (const Json &clears = json.at("clears"); !clears.is_null())
      result.clears = clears.get<bool>();
    result.emittedRight = json.at("emitted_right").get<std::vector<std::string>>();
    for (const Json &own : json.at("wrong"))
      result.wrong.push_back(wrongFromJson(own));
    if (!result.injected.empty() && !parseBugChoice(result.injected))
      return damaged;
    if (!result.strategy.empty() && !compiler::parseStrategy(result.strategy))
      return damaged;
    return result;
  } catch (const Json::exception &) {
    return damaged;
  }
}

} // namespace tilerig::verify
