#include "tests/conformance/random-checks/Case.h"

#include "tests/conformance/random-graphs/EdgeValues.h"
#include "tests/support/Random.h"

#include <fmt/core.h>
#include <set>

namespace tilerig::checks {

namespace {

using verify::Check;

template <class List>
const auto &drawn(test::Random &random, const List &list) {
  return list[random.below(std::size(list))];
}

Result<TensorMap> mapOf(const meaning::Values &values) {
  TensorMap inputs;
  for (const auto &[name, tensor] : values)
    TILERIG_CHECK_OK(inputs.add(name, tensor));
  return inputs;
}

Result<Check> checkOf(const Case &testCase, reference::Threads &threads) {
  verify::CompileOptions options;
  options.precision = testCase.setting.precision;
  TILERIG_TRY(options.machine, loadMachine(testCase.setting.machine));
  options.program.tiles = testCase.setting.tiles;
  options.program.pinsWeights = testCase.setting.pinsWeights;
  options.program.strategy = testCase.setting.strategy;
  TILERIG_TRY(const TensorMap inputs, mapOf(testCase.trial.inputs));
  if (!testCase.calibration.empty()) {
    TILERIG_TRY(options.calibrationInputs, mapOf(testCase.calibration));
  }
  return Check::create(verify::SourceModel::of("random", testCase.trial.model.SerializeAsString()), inputs,
                       options, threads);
}

Finding faultOf(const std::vector<std::string> &faults) {
  return {Finding::Kind::fault, faults.empty() ? "the program did not end" : faults.front()};
}

// Flips one bit in every seventh byte of the constants. Changes copies of the constants, because the compiled
// program shares their bytes. Sets `broken` if a bit was flipped.
Program withBrokenConstants(Program program, bool &broken) {
  for (ConstantData &data : program.constants) {
    const auto copy = std::make_shared<std::vector<std::byte>>(data.bytes.begin(), data.bytes.end());
    for (size_t i = 2; i < copy->size(); i += 7) {
      (*copy)[i] ^= std::byte(0x10);
      broken = true;
    }
    data.bytes = *copy;
    data.owner = copy;
  }
  return program;
}

Status judgeRun(const Check &check, bool breaksConstants, unsigned threads, Verdict &verdict) {
  Program program = check.program();
  if (breaksConstants)
    program = withBrokenConstants(std::move(program), verdict.broken);
  TILERIG_TRY(const verify::CheckRun run, check.run(std::move(program), {.threads = threads, .jitter = {}}));
  if (!run.accumulated.ended || !run.accumulated.faults.empty()) {
    verdict.finding = faultOf(run.accumulated.faults);
    return success();
  }
  if (!run.accumulated.byBeats.empty()) {
    verdict.finding = {Finding::Kind::fault, run.accumulated.byBeats};
    return success();
  }
  std::set<std::string> operators;
  verify::JudgeOptions options;
  options.threads = threads;
  TILERIG_CHECK_OK(check.judge(run, options, [&](const verify::CheckedTensor &tensor) -> Status {
    ++verdict.tensors;
    operators.insert(tensor.match.onnxOps.begin(), tensor.match.onnxOps.end());
    const verify::Comparison &comparison = tensor.comparison;
    const bool isEmpty = comparison.status == verify::TensorStatus::empty;
    if (!verdict.finding && !isEmpty && comparison.status != verify::TensorStatus::match)
      verdict.finding = {Finding::Kind::bits, tensor.match.name + ": " + comparison.reason};
    return success();
  }));
  verdict.operators.assign(operators.begin(), operators.end());
  return success();
}

Status judgeEmitted(const Check &check, Verdict &verdict) {
  TILERIG_TRY(const std::vector<verify::EmittedLayer> layers, check.judgeEmittedLayers());
  verdict.emitted = layers.size();
  for (const verify::EmittedLayer &layer : layers) {
    const verify::TensorStatus status = layer.comparison.status;
    if (!verdict.finding && status != verify::TensorStatus::match && status != verify::TensorStatus::empty)
      verdict.finding = {Finding::Kind::emitted, layer.name + ": " + layer.comparison.reason};
  }
  return success();
}

Status judgeRounded(const Check &check, Verdict &verdict) {
  TILERIG_TRY(const std::vector<verify::RoundedLayer> layers, check.judgeRoundedLayers());
  verdict.rounded = layers.size();
  for (const verify::RoundedLayer &layer : layers)
    if (!verdict.finding && layer.status != verify::TensorStatus::match)
      verdict.finding = {Finding::Kind::rounded,
                         fmt::format("{} {}: {}", layer.kind, layer.name, layer.reason)};
  return success();
}

Verdict verdictOf(const Error &error) {
  Verdict verdict;
  if (error.kind == ErrorKind::unsupported)
    verdict.refused = error.what;
  else
    verdict.finding = {Finding::Kind::error, error.message(), error.kind};
  return verdict;
}

Verdict judge(const Check &check, bool breaksConstants, unsigned threads) {
  Verdict verdict;
  Status status = judgeRun(check, breaksConstants, threads, verdict);
  if (status)
    status = judgeEmitted(check, verdict);
  if (status)
    status = judgeRounded(check, verdict);
  return status ? verdict : verdictOf(status.error());
}

} // namespace

Case randomCase(uint64_t seed, int mostNodes, test::RandomOperators operators) {
  constexpr const char *precisions[] = {"fp32", "fp16", "bf16", "int8", "int8", "uint8"};
  constexpr std::pair<const char *, unsigned> machines[] = {
      {"tr64", 64}, {"tr64", 64}, {"tr16", 16}, {"tiny", 4}};
  test::Random random(seed);
  Case testCase;
  testCase.setting.precision = drawn(random, precisions);
  const auto &[machine, most] = drawn(random, machines);
  testCase.setting.machine = machine;
  testCase.setting.tiles = static_cast<unsigned>(1 + random.below(most));
  testCase.setting.pinsWeights = random.below(20) == 0;
  test::RandomModelOptions options;
  options.mostNodes = mostNodes;
  options.operators = operators;
  if (operators != test::RandomOperators::core)
    options.mostOpset = 24;
  testCase.trial.model = test::randomModel(seed, options);
  if (auto inputs = meaning::makeInputs(testCase.trial.model, seed))
    testCase.trial.inputs = *std::move(inputs);
  return testCase;
}

Case edgeCase(uint64_t seed, int mostNodes, test::RandomOperators operators) {
  Case testCase = randomCase(seed, mostNodes, operators);
  test::Random random(seed ^ 0xed6e);
  const bool isOfEightBits = testCase.setting.precision.ends_with("int8");
  if (isOfEightBits)
    testCase.calibration = testCase.trial.inputs;
  meaning::putEdgesIntoInputs(testCase.trial, random);
  if (!isOfEightBits)
    meaning::putEdgesIntoConstants(testCase.trial, random);
  return testCase;
}

compiler::StrategyFile randomHints(compiler::StrategyFile applied, uint64_t seed) {
  using Words = std::vector<std::string>;
  static const std::vector<Words> ofConvolutions = {{"split_io"},
                                                    {"split_wb"},
                                                    {"dupl_wb"},
                                                    {"split_io", "split_wb"},
                                                    {"split_io", "dupl_wb"},
                                                    {"DIRECTCONV"},
                                                    {"DIRECTCONV", "split_wb"},
                                                    {"FLATTEN_MM"},
                                                    {"FLATTEN_MM_OVERLAP"}};
  static const std::vector<Words> ofProducts = {{"split_io"}, {"split_wb"}, {"LAMM"},
                                                {"SAMM1"},    {"SAMM2"},    {"split_io", "LAMM"}};
  static const std::vector<Words> ofOthers = {{"split_io"}};
  test::Random random(seed ^ 0x5eed);
  for (compiler::StrategyLayer &layer : applied.layers) {
    auto is = [&](std::initializer_list<const char *> words) {
      return std::ranges::any_of(layer.applied, [&](const std::string &word) {
        return std::ranges::find(words, word) != words.end();
      });
    };
    const bool isConvolution = is({"DIRECTCONV", "FLATTEN_MM", "FLATTEN_MM_OVERLAP"});
    const bool isProduct = is({"LAMM", "SAMM1", "SAMM2"});
    // Hints are for layers on the accelerator. A layer on the host gets none, since it is not split into
    // parts.
    if (random.below(2) || layer.parts.empty())
      continue;
    layer.hints = drawn(random, isConvolution ? ofConvolutions : isProduct ? ofProducts : ofOthers);
    layer.parts.clear();
    if (random.below(2))
      layer.tiles.reset();
  }
  return applied;
}

Verdict judge(const Case &testCase, reference::Threads &threads) {
  auto check = checkOf(testCase, threads);
  return check ? judge(*check, testCase.setting.breaksConstants, threads.count()) : verdictOf(check.error());
}

Verdict judgeWithHints(Case &testCase, uint64_t seed, reference::Threads &threads) {
  auto check = checkOf(testCase, threads);
  if (!check)
    return verdictOf(check.error());
  testCase.setting.strategy = randomHints(check->model().strategy, seed);
  const Verdict verdict = judge(testCase, threads);
  if (verdict.refused.empty())
    return verdict;
  // Hints are chosen by the kind of a layer, not by its sizes, so the compiler cannot apply many of them. Such a case runs without hints.
  testCase.setting.strategy = {};
  return judge(*check, testCase.setting.breaksConstants, threads.count());
}

} // namespace tilerig::checks
