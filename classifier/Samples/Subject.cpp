#include "classifier/Samples/Subject.h"

#include "reference/Model/Load.h"
#include "reference/Tools/Inputs.h"

#include <algorithm>
#include <set>

namespace tilerig::verify {

namespace {

Result<TensorMap> inputsFor(const SourceModel &source, uint64_t seed) {
  TILERIG_TRY(const reference::Model model, source.forReference());
  TILERIG_TRY(const reference::NamedTensors named, reference::makeInputs(model, {}, seed));
  TensorMap inputs;
  for (const auto &[name, tensor] : named)
    TILERIG_CHECK_OK(inputs.add(name, tensor));
  return inputs;
}

// Divides float inputs by three; integers are kept.
TensorMap aThirdOf(const TensorMap &inputs) {
  TensorMap smaller;
  for (NamedTensor input : inputs) {
    if (input.tensor.dtype() == DType::f32)
      for (float &value : input.tensor.mutableAs<float>())
        value /= 3;
    (void)smaller.add(input.name, input.tensor); // adding a tensor cannot fail, since names are unique
  }
  return smaller;
}

// Gives about half of the layers a random hint, that is, one of the ways to split the layer.
compiler::StrategyFile drawHints(compiler::StrategyFile applied, Draw &draw) {
  using Words = std::vector<std::string>;
  static const std::vector<Words> ofConvolutions = {{"split_io"},   {"split_wb"},   {"dupl_wb"},
                                                    {"DIRECTCONV"}, {"FLATTEN_MM"}, {"split_io", "dupl_wb"}};
  static const std::vector<Words> ofProducts = {{"split_io"}, {"split_wb"}, {"split_k"},
                                                {"LAMM"},     {"SAMM1"},    {"SAMM2"}};
  static const std::vector<Words> ofOthers = {{"split_io"}};
  for (compiler::StrategyLayer &layer : applied.layers) {
    auto is = [&](std::initializer_list<const char *> words) {
      return std::ranges::any_of(layer.applied, [&](const std::string &word) {
        return std::ranges::find(words, word) != words.end();
      });
    };
    if (draw.chance(50))
      continue;
    layer.hints = draw.pick(is({"DIRECTCONV", "FLATTEN_MM", "FLATTEN_MM_OVERLAP"}) ? ofConvolutions
                            : is({"LAMM", "SAMM1", "SAMM2"})                       ? ofProducts
                                                                                   : ofOthers);
    layer.parts.clear();
    layer.fusionBlock.reset();
    layer.tiles.reset();
  }
  return applied;
}

// Returns hints that make the compiler choose the same strategies (splits of layers) again.
compiler::StrategyFile asApplied(compiler::StrategyFile applied) {
  static const std::set<std::string> binding = {
      "split_k", "LAMM", "SAMM1", "SAMM2", "DIRECTCONV", "FLATTEN_MM", "FLATTEN_MM_OVERLAP"};
  for (compiler::StrategyLayer &layer : applied.layers) {
    layer.hints.clear();
    if (layer.parts.empty())
      continue;
    layer.hints = {"parts"};
    for (const std::string &word : layer.applied)
      if (binding.contains(word))
        layer.hints.push_back(word);
  }
  return applied;
}

// Options for compiling a mutant (a program with a bug) without the search for the best splits, which would
// take most of the time: the splits of the program without a bug are given as hints. If the compiler refuses
// the hints, the options stay as they are.
CompileOptions withoutSearch(const CompiledModel &model, CompileOptions options) {
  compiler::ProgramOptions fixed = options.program;
  fixed.strategy = asApplied(model.strategy);
  fixed.proves = false;
  if (generateProgram(*model.deviceOps, options.machine, fixed))
    options.program.strategy = std::move(fixed.strategy);
  return options;
}

Result<TensorMap> inAnotherOrder(const Check &check, const std::string &name, reference::Threads &threads) {
  TILERIG_TRY(const std::string bytes, bytesOf(check.model().oracle, name));
  TILERIG_TRY(reference::Model model, reference::parseModel(std::as_bytes(std::span(bytes)), name, ""));
  TILERIG_TRY(const ReferenceRun run,
              ReferenceRun::load(std::move(model), reference::Arithmetic::fast, threads));
  return run.run(check.inputs());
}

size_t countInstructions(const Program &program) {
  size_t count = 0;
  for (const Stage &stage : program.stages)
    if (const auto *device = std::get_if<DeviceStage>(&stage.work))
      for (const std::vector<Instruction> &tile : device->tiles)
        count += tile.size();
  return count;
}

// Whether each mutant (program with a bug) would take seconds or minutes: planning the memory does for many layers on a machine with
// little memory, and the analysis of one with a race does for very many instructions.
bool isTooLongFor(const Machine &machine, const Program &program) {
  constexpr int mostLayers = 10;
  constexpr size_t mostInstructions = 12'000;
  return (machine.name == "tiny" && program.metadata.layers_size() > mostLayers) ||
         countInstructions(program) > mostInstructions;
}

} // namespace

bool hasEightBits(const Setting &setting) {
  return setting.precision == "int8" || setting.precision == "uint8";
}

Setting drawSetting(Draw &draw) {
  struct Place {
    const char *machine;
    unsigned tiles;
  };
  Setting setting;
  setting.precision =
      draw.pick({"int8", "int8", "int8", "int8", "uint8", "uint8", "fp32", "fp16", "fp16", "bf16"});
  const Place place = draw.pick<Place>({{"tr64", 64}, {"tr64", 64}, {"tr64", 16}, {"tr16", 16}, {"tiny", 4}});
  setting.machine = place.machine;
  setting.tiles = draw.chance(20) ? 1 : static_cast<unsigned>(draw.between(2, place.tiles));
  if (setting.tiles > 16 && draw.chance(60))
    setting.tiles = static_cast<unsigned>(draw.between(2, 16));
  setting.pinsWeights = draw.chance(8);
  setting.hasHints = draw.chance(30);
  setting.isTimid = hasEightBits(setting) && draw.chance(50);
  setting.givesIntegers = hasEightBits(setting) && draw.chance(50);
  return setting;
}

// Compiles the network from which samples are taken. Outputs are 8-bit integers if the setting says so and
// the compiler supports that, else floats.
static Result<CompiledModel> compilePlain(const SourceModel &source, const TensorMap &inputs,
                                          CompileOptions &options, Setting &setting,
                                          reference::Threads &threads) {
  if (setting.givesIntegers) {
    options.edges.outputs =
        setting.precision == "int8" ? compiler::QuantisedType::int8 : compiler::QuantisedType::uint8;
    auto compiled = compileStep(source, inputs, options, threads);
    if (compiled || compiled.error().kind != ErrorKind::unsupported)
      return compiled;
    options.edges = {};
    setting.givesIntegers = false;
  }
  return compileStep(source, inputs, options, threads);
}

Result<Subject> makeSubject(const Family &family, uint64_t seed, reference::Threads &threads) {
  TILERIG_TRY(DrawnNetwork network, family.draw(seedOf(seed, 10), threads));
  Draw draw(seedOf(seed, 11));
  Setting setting = drawSetting(draw);
  CompileOptions options;
  options.precision = setting.precision;
  TILERIG_TRY(options.machine, loadMachine(setting.machine));
  options.program.tiles = setting.tiles;
  options.program.pinsWeights = setting.pinsWeights;
  options.keepsOps = true;
  SourceModel source = SourceModel::of(network.name, std::move(network.bytes));
  TensorMap inputs = std::move(network.inputs);
  if (inputs.empty()) {
    TILERIG_TRY(inputs, inputsFor(source, seedOf(seed, 12)));
  }
  if (setting.isTimid)
    options.calibrationInputs = aThirdOf(inputs);
  if (setting.hasHints || setting.givesIntegers) {
    TILERIG_TRY(const CompiledModel plain, compilePlain(source, inputs, options, setting, threads));
    if (setting.hasHints)
      options.program.strategy = drawHints(plain.strategy, draw);
  }
  TILERIG_TRY(Check check, Check::create(source, inputs, options, threads));
  if (isTooLongFor(options.machine, check.program()))
    return unsupported(network.name, "the network takes too many layers or instructions on this machine");
  TILERIG_TRY(TensorMap otherOrder, inAnotherOrder(check, network.name, threads));
  options = withoutSearch(check.model(), std::move(options));
  TILERIG_TRY(reference::Model original, source.forReference());
  TILERIG_TRY(ModelOfDumps model, ModelOfDumps::of(std::move(original), threads));
  return Subject{&family,           std::move(network.name), setting,
                 std::move(source), std::move(options),      std::move(check),
                 std::move(model),  std::move(otherOrder)};
}

} // namespace tilerig::verify
