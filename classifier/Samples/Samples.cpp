#include "classifier/Samples/Samples.h"

#include "classifier/Samples/OtherRounding.h"
#include "verify/Check/CheckedCircumstances.h"
#include "verify/Check/Injection.h"
#include "verify/Check/StoredTensors.h"
#include "verify/Dumps/RecomputedDump.h"
#include "verify/Metrics/Compare.h"
#include "verify/Verdict/Verdict.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilerig::verify {

namespace {

// Maximum number of additional runs of a mutant (a program with a bug), each with other latencies. The first
// run in which a tensor is wrong ends the series.
constexpr uint64_t mostJitters = 4;
// Maximum number of bugs of one class that are tried until one of them makes a tensor wrong. With fewer
// tries, bugs that rarely make a tensor wrong would be underrepresented.
constexpr size_t triesOfClass = 5;
// In how many of a hundred mutants another sample is taken, as of two dumps alone, and as of two dumps with their model.
constexpr unsigned percentOfPairs = 20, percentWithModel = 45;
// Relative frequency with which a class of bugs is drawn. Classes that can occur in few networks, such as
// those of 8-bit types, are drawn more often where they can occur.
size_t shareOf(BugClass bugClass, bool needsEightBits) {
  switch (bugClass) {
  case BugClass::noError:
    return 5;
  case BugClass::table:
    return 12;
  case BugClass::clipping:
    return 5;
  case BugClass::instructionCalls:
    return 3;
  default:
    return needsEightBits ? 5 : 2;
  }
}

bool suits(const Bug &bug, const Setting &setting) {
  return bug.types == BugTypes::all || (bug.types == BugTypes::eightBits) == hasEightBits(setting);
}

bool needsEightBits(std::span<const Bug *const> bugs, BugClass bugClass) {
  return std::ranges::all_of(
      bugs, [&](const Bug *bug) { return bug->bugClass != bugClass || bug->types == BugTypes::eightBits; });
}

std::vector<Sample> listOf(std::optional<Sample> sample) {
  std::vector<Sample> samples;
  if (sample)
    samples.push_back(*std::move(sample));
  return samples;
}

// The precision that the types of a program's tensors show; empty if they are all float32.
std::optional<DumpPrecision> precisionOfDump(const Setting &setting) {
  if (hasEightBits(setting))
    return DumpPrecision::eightBits;
  if (setting.precision == "fp32")
    return std::nullopt;
  return setting.precision == "fp16" ? DumpPrecision::fp16 : DumpPrecision::bf16;
}

// Records a bug as the cause of a sample.
void state(const InjectedBug &injected, Origin &origin) {
  const Bug &bug = *injected.choice.bug;
  origin.bugClass = bug.bugClass;
  origin.bug = bug.id;
  origin.text = printBugChoice(injected.choice);
  origin.stage = nameOf(bug.stage);
  origin.site = bug.site;
}

// A tensor of the original model in floats, and the tensor that the program computes instead, converted to
// the same type.
struct RealTensors {
  Tensor truth, stored;
};
// Empty if the original model has no tensor of this name and shape.
Result<std::optional<RealTensors>> realTensors(const Check &check, const std::string &name) {
  const auto &placements = check.program().metadata.tensors();
  const auto placement = std::ranges::find(placements, name, &proto::Tensor::name);
  const Tensor *const truth = check.expectation().truth.find(name);
  const Tensor *const oracle = check.expectation().oracle.find(name);
  if (placement == placements.end() || !truth || !oracle || oracle->elementCount() == 0)
    return std::optional<RealTensors>();
  TILERIG_TRY(Tensor stored, asOriginal(*placement, asStored(*placement, *oracle), truth->dtype()));
  Tensor padded = paddedTo(*truth, stored.shape());
  if (padded.shape() != stored.shape())
    return std::optional<RealTensors>();
  return std::optional(RealTensors{std::move(padded), std::move(stored)});
}

// Whether the device's errors against the original float model exceed those that the precision alone causes
// (`noise`): the largest error by a factor of three, or the root mean square by a factor of one and a half.
bool standsClear(const Comparison &device, const Comparison &noise) {
  return device.maxAbs > 3 * noise.maxAbs || device.rms > 1.5 * noise.rms;
}

} // namespace

// How a sample is taken: whether the wrong tensor is compared with the original model, and whether the sample
// contains what is known of the program and its run.
struct Sampler::Form {
  bool isAgainstTruth = false;
  // whether the sample contains what is known of the program and of its run
  bool knowsProgram = true, knowsRun = true;
  Limits limits;

  Circumstances known(Circumstances all) const {
    if (!knowsProgram) {
      all.seams.reset();
      all.layerKind.reset();
      all.parts.reset();
      all.bias.reset();
      all.order.reset();
    }
    if (!knowsRun) {
      all.trapped = false;
      all.product.reset();
      all.isolated.reset();
      all.otherRuns.reset();
      all.isOracle = false;
    }
    return all;
  }

  // What the sample may contain if tensors are compared with those of the original model in floats.
  Circumstances knownAgainstTruth(Circumstances all) const {
    all = known(std::move(all));
    all.isOracle = false;
    all.product.reset();
    // The result that the layer computes from right inputs is left out: it has the type of the program, so it
    // cannot be compared with the original model in floats.
    all.isolated.reset();
    all.otherRuns.reset();
    return all;
  }
  CompareOptions againstTruth(EightBit eightBit) const {
    CompareOptions options{.limits = limits, .acrossTypes = true};
    options.limits.eightBit = knowsProgram ? eightBit : EightBit::none;
    return options;
  }
};

Sampler::Sampler(const Subject &subject, std::vector<const Bug *> bugs, uint64_t unit, uint64_t seed)
    : subject(subject), bugs(std::move(bugs)), unit(unit), draw(seed) {
  std::erase_if(this->bugs, [&](const Bug *bug) { return !suits(*bug, subject.setting); });
}

std::nullopt_t Sampler::without(const char *reason) {
  ++reasons[reason];
  return std::nullopt;
}

// The classes of the bugs that may still be injected into the compiled network. A class is repeated according
// to its relative frequency.
std::vector<BugClass> Sampler::openClasses() const {
  std::vector<BugClass> open;
  for (size_t i = 0; i < numBugClasses; ++i) {
    const auto bugClass = static_cast<BugClass>(i);
    const bool hasPlace = std::ranges::any_of(
        bugs, [&](const Bug *bug) { return bug->bugClass == bugClass && !placeless.contains(bug); });
    if (hasPlace)
      open.insert(open.end(), shareOf(bugClass, needsEightBits(bugs, bugClass)), bugClass);
  }
  return open;
}

Result<std::vector<Sample>> Sampler::take(size_t attempts) {
  std::vector<Sample> samples;
  std::set<std::pair<uint64_t, BugClass>> seen;
  for (size_t i = 0; i < attempts; ++i) {
    const std::vector<BugClass> open = openClasses();
    if (open.empty())
      break;
    TILERIG_TRY(std::vector<Sample> some, tryClass(draw.pick(open)));
    for (Sample &sample : some)
      if (seen.insert({digestOf(sample.evidence), sample.origin.bugClass}).second)
        samples.push_back(std::move(sample));
      else
        ++reasons["repeated"];
  }
  return samples;
}

Result<std::vector<Sample>> Sampler::tryClass(BugClass bugClass) {
  if (bugClass == BugClass::noError) {
    TILERIG_TRY(std::optional<Sample> sample, tryClean());
    return listOf(std::move(sample));
  }
  for (size_t i = 0; i < triesOfClass; ++i) {
    std::vector<const Bug *> possible;
    std::ranges::copy_if(bugs, std::back_inserter(possible), [&](const Bug *bug) {
      return bug->bugClass == bugClass && !placeless.contains(bug);
    });
    if (possible.empty())
      break;
    TILERIG_TRY(std::vector<Sample> samples, tryBug(*draw.pick(possible)));
    if (!samples.empty())
      return samples;
  }
  return std::vector<Sample>();
}

// The mutant's first sample knows what the drawn form says. Since a run costs more than its evidence, many mutants give another one, as
// of dumps of tensors: of two alone, and of two with their model.
Result<std::vector<Sample>> Sampler::tryBug(const Bug &bug) {
  if (bug.isInPass())
    return tryPassBug(bug);
  const uint64_t seed = draw.next();
  const Form form = drawForm();
  auto mutant = injectBug(subject.check.model(), subject.options, BugChoice{.bug = &bug}, seed);
  if (!mutant) {
    if (mutant.error().kind != ErrorKind::unsupported)
      return std::move(mutant).error().within(fmt::format("unit {}", unit));
    placeless.insert(&bug);
    return listOf(without("no_place"));
  }
  TILERIG_TRY(const std::optional<CheckRun> run, runUntilWrong(mutant->program, mutant->faultFile));
  if (!run)
    return std::vector<Sample>();
  const std::optional<CheckedTensor> first = subject.check.firstDiffering(*run);
  if (!first)
    return listOf(without("not_kept"));
  Origin origin = originOf(run->program, first->match, mutant->bug.layer);
  state(mutant->bug, origin);
  origin.caught = caughtBefore(*run).by;
  std::vector<Sample> samples;
  const auto add = [&](std::optional<Sample> sample) {
    if (sample)
      samples.push_back(*std::move(sample));
  };
  TILERIG_TRY(std::optional<Sample> sample, inForm(*run, *first, form, origin));
  add(std::move(sample));
  if (draw.chance(percentOfPairs)) {
    TILERIG_TRY(sample, inForm(*run, *first, twoDumps(), origin));
    add(std::move(sample));
  }
  if (draw.chance(percentWithModel)) {
    TILERIG_TRY(sample, ofDump(*run, mutant->bug));
    add(std::move(sample));
  }
  return samples;
}

Result<std::optional<Sample>> Sampler::inForm(const CheckRun &run, const CheckedTensor &tensor,
                                              const Form &form, Origin origin) {
  return form.isAgainstTruth ? againstTruth(run, tensor, form, std::move(origin))
                             : sampleOf(run, tensor, form, std::move(origin));
}

// A sample of the first tensor of a run's dump that the network does not compute from the dump's own tensors, as `tilerig classify
// --model` sees it.
Result<std::optional<Sample>> Sampler::ofDump(const CheckRun &run, const InjectedBug &bug) {
  const LoadTensor load = [&](const std::string &value) -> Result<std::optional<Tensor>> {
    const Tensor *tensor = run.accumulated.tensors.find(value);
    return tensor ? std::optional(*tensor) : std::nullopt;
  };
  const LoadTensor usual = [&](const std::string &value) -> Result<std::optional<Tensor>> {
    const Tensor *tensor = subject.check.expectation().truth.find(value);
    return tensor ? std::optional(*tensor) : std::nullopt;
  };
  std::set<std::string> names;
  for (const auto &[name, tensor] : run.accumulated.tensors)
    names.insert(name);
  reference::NamedTensors inputs;
  for (const auto &[name, tensor] : subject.check.handedInputs().reals)
    inputs.emplace(name, tensor);
  RecomputedDump dump(subject.model, std::move(names), load, usual, precisionOfDump(subject.setting));
  TILERIG_CHECK_OK(dump.recompute(inputs));
  const std::set<std::string> wrong = dump.wrong();
  const auto &computed = subject.model.computed();
  const auto first =
      std::ranges::find_if(computed, [&](const std::string &value) { return wrong.contains(value); });
  if (first == computed.end())
    return std::optional<Sample>(without("below_noise"));
  const RecomputedTensor &tensor = dump.tensors().at(*first);
  const Comparison comparison = compareTensors(tensor.expected, tensor.dumped, {.limits = {}, .exact = true});
  if (whyNothingCanBeSaid(comparison, tensor.expected))
    return std::optional<Sample>(without("nothing_to_say"));
  TILERIG_TRY(const FloatEvidence evidence,
              makeEvidence(tensor.expected, tensor.dumped, comparison, dump.knownOf(*first)));
  const auto placement = std::ranges::find(run.program.metadata.tensors(), *first, &proto::Tensor::name);
  TensorMatch match;
  describeMatch(run.program, *placement, match);
  Origin origin = originOf(run.program, match, placement->layer());
  state(bug, origin);
  origin.caught = caughtBefore(run).by;
  origin.against = "model";
  return std::optional(Sample{asSample(evidence, comparison), std::move(origin)});
}

// Compiles the network again with a bug in a pass of the compiler. Such a bug changes the program and the
// ONNX model emitted with it alike, so only a comparison with the original model shows the bug.
Result<std::vector<Sample>> Sampler::tryPassBug(const Bug &bug) {
  CompileOptions options = subject.options;
  options.passBug = BugChoice{.bug = &bug};
  options.bugSeed = draw.next();
  options.program.strategy = {}; // hints name layers, which may not exist in the program with the bug
  Form form = drawForm();
  form.isAgainstTruth = true;
  form.knowsRun = false;
  form.knowsProgram = draw.chance(33);
  reference::Threads threads(1);
  const auto mutant = Check::create(subject.source, subject.check.handedInputs().reals, options, threads);
  if (!mutant) {
    if (mutant.error().kind != ErrorKind::unsupported)
      // A later pass has refused the module that the pass with the bug left.
      return listOf(without("not_compiled"));
    placeless.insert(&bug);
    return listOf(without("no_place"));
  }
  TILERIG_TRY(const CheckRun run,
              mutant->run(mutant->program(), {.threads = 1, .jitter = {}, .faultFile = {}}));
  if (!run.accumulated.ended || !mutant->agrees(run))
    return internalError(fmt::format("unit {}", unit), "the program contradicts the model emitted with it");
  TILERIG_TRY(std::optional<Sample> sample, ofPassBug(*mutant, run, form));
  std::vector<Sample> samples = listOf(std::move(sample));
  if (draw.chance(percentWithModel)) {
    TILERIG_TRY(sample, ofDump(run, mutant->model().passBug->bug));
    if (sample)
      samples.push_back(*std::move(sample));
  }
  return samples;
}

// Takes a sample of the first tensor that the bug in a pass makes worse, that is, whose error against the
// original float model is larger than without the bug.
Result<std::optional<Sample>> Sampler::ofPassBug(const Check &mutant, const CheckRun &run, const Form &form) {
  for (const proto::Tensor &placement : run.program.metadata.tensors()) {
    const Tensor *const device = run.accumulated.tensors.find(placement.name());
    if (placement.role() == proto::INPUT || !device)
      continue;
    TILERIG_TRY(const std::optional<RealTensors> clean, realTensors(subject.check, placement.name()));
    TILERIG_TRY(const std::optional<RealTensors> wrong, realTensors(mutant, placement.name()));
    if (!clean || !wrong || clean->truth.shape() != wrong->truth.shape())
      continue;
    CheckedTensor tensor;
    tensor.match.name = placement.name();
    describeMatch(run.program, placement, tensor.match);
    tensor.stored = {*device, *device};
    const CompareOptions options = form.againstTruth(tensor.match.eightBit);
    const Comparison comparison = compareTensors(wrong->truth, wrong->stored, options);
    if (!standsClear(comparison, compareTensors(clean->truth, clean->stored, options)))
      continue;
    Origin origin = originOf(run.program, tensor.match, placement.layer());
    state(mutant.model().passBug->bug, origin);
    origin.against = "truth";
    TILERIG_TRY(const FloatEvidence evidence,
                makeEvidence(wrong->truth, wrong->stored, comparison,
                             form.knownAgainstTruth(circumstancesOf(mutant, run, tensor))));
    return std::optional(Sample{asSample(evidence, comparison), std::move(origin)});
  }
  return std::optional<Sample>(without("below_noise"));
}

// Runs a mutant (a program with a bug) until some tensor differs, each time with other latencies, because
// some bugs depend on latencies. Empty if a run does not end or no run differs.
Result<std::optional<CheckRun>> Sampler::runUntilWrong(const Program &program, const std::string &faultFile) {
  DeviceOptions device{.threads = 1, .jitter = {}, .otherRuns = evidenceRuns, .faultFile = faultFile};
  for (uint64_t jitter = 0; jitter <= mostJitters; ++jitter) {
    if (jitter > 0)
      // The seed of the latencies of a run. subject.check.run() uses the seeds that follow it for additional
      // runs, so the seeds that are passed to it are 16 apart.
      device.jitter = jitter * 16;
    TILERIG_TRY(CheckRun run, subject.check.run(program, device));
    if (!run.accumulated.ended)
      return std::optional<CheckRun>(without("did_not_end"));
    if (!subject.check.agrees(run))
      return std::optional(std::move(run));
    if (run.accumulated.byBeats.empty())
      break;
  }
  return std::optional<CheckRun>(without("equivalent"));
}

Sampler::Form Sampler::twoDumps() {
  Form form = drawForm();
  form.isAgainstTruth = draw.chance(50);
  form.knowsRun = form.knowsProgram = false;
  return form;
}

Sampler::Form Sampler::drawForm() {
  Form form;
  const uint64_t kind = draw.below(20);
  form.isAgainstTruth = kind >= 17;
  form.knowsRun = kind < 15;
  form.knowsProgram = kind < 15 || kind == 17;
  if (draw.chance(30)) {
    form.limits.oom = draw.pick({10.0, 100.0, 200.0, 1000.0});
    form.limits.relativePercent = draw.pick({0.01, 0.1, 1.0, 3.0, 10.0});
    form.limits.bitOff = draw.pick({0.0, 1.0, 2.0});
  }
  return form;
}

Origin Sampler::originOf(const Program &program, const TensorMatch &match, uint32_t layer) const {
  Origin origin;
  const auto &layers = program.metadata.layers();
  origin.family = architectureOf(*subject.family);
  origin.network = subject.network;
  origin.precision = subject.setting.precision;
  origin.machine = subject.setting.machine;
  origin.tiles = subject.setting.tiles;
  origin.strategy = layers[static_cast<int>(layer)].strategy();
  origin.layer = match.layer;
  origin.kind = match.kind;
  origin.op = fmt::format("{}", fmt::join(match.onnxOps, "+"));
  origin.unit = unit;
  return origin;
}

Result<std::optional<Sample>> Sampler::sampleOf(const CheckRun &run, const CheckedTensor &tensor,
                                                const Form &form, Origin origin) {
  Limits limits = form.limits;
  limits.eightBit = tensor.match.eightBit;
  const auto &[reference, target] = tensor.stored;
  const Comparison comparison = compareTensors(reference, target, {.limits = limits, .exact = true});
  TILERIG_TRY(
      const FloatEvidence evidence,
      makeEvidence(reference, target, comparison, form.known(circumstancesOf(subject.check, run, tensor))));
  origin.against = "oracle";
  return std::optional(Sample{asSample(evidence, comparison), std::move(origin)});
}

Result<std::optional<Sample>> Sampler::againstTruth(const CheckRun &run, const CheckedTensor &tensor,
                                                    const Form &form, Origin origin) {
  const Tensor *original = subject.check.expectation().truth.find(tensor.match.name);
  if (!original)
    return std::optional<Sample>(without("no_truth"));
  const auto &placements = run.program.metadata.tensors();
  const auto placement = std::ranges::find(placements, tensor.match.name, &proto::Tensor::name);
  TILERIG_TRY(const Tensor oracle, asOriginal(*placement, tensor.stored.reference, original->dtype()));
  TILERIG_TRY(const Tensor device, asOriginal(*placement, tensor.stored.target, original->dtype()));
  const Tensor truth = paddedTo(*original, oracle.shape());
  if (truth.shape() != device.shape())
    return std::optional<Sample>(without("no_truth"));
  const CompareOptions options = form.againstTruth(tensor.match.eightBit);
  const Comparison comparison = compareTensors(truth, device, options);
  if (origin.bugClass != BugClass::noError &&
      !standsClear(comparison, compareTensors(truth, oracle, options)))
    return std::optional<Sample>(without("below_noise"));
  TILERIG_TRY(const FloatEvidence evidence,
              makeEvidence(truth, device, comparison,
                           form.knownAgainstTruth(circumstancesOf(subject.check, run, tensor))));
  origin.against = "truth";
  return std::optional(Sample{asSample(evidence, comparison), std::move(origin)});
}

// Draws a tensor of the program without a bug. Null if the drawn tensor is an input, has no elements, or is
// missing in the oracle (the expected tensors).
const proto::Tensor *Sampler::drawPlacement() {
  const auto &placements = subject.check.program().metadata.tensors();
  const proto::Tensor &placement =
      placements[static_cast<int>(draw.below(static_cast<uint64_t>(placements.size())))];
  const Tensor *oracle = subject.check.expectation().oracle.find(placement.name());
  return placement.role() == proto::INPUT || !oracle || oracle->elementCount() == 0 ? nullptr : &placement;
}

// The tensor as another correct system might compute it: with sums added up in another order or, if that
// changes nothing, with other rounding.
std::optional<Tensor> Sampler::computedOtherwise(const proto::Tensor &placement, const Tensor &stored) {
  if (const Tensor *other = subject.otherOrder.find(placement.name());
      other && other->shape() == stored.shape())
    if (Tensor reference = asStored(placement, *other);
        reference.dtype() == stored.dtype() && !identical(reference, stored))
      return reference;
  return roundedOtherwise(stored, Draw(draw.next()));
}

// Takes a sample of a program without a bug: compares a tensor with itself, with the original float model's
// tensor, or with the tensor that another correct system might compute.
Result<std::optional<Sample>> Sampler::tryClean() {
  CheckRun run;
  run.program = subject.check.program();
  Form form = drawForm();
  const uint64_t kind = draw.below(10);
  const proto::Tensor *placement = drawPlacement();
  if (!placement)
    return std::optional<Sample>();
  CheckedTensor tensor;
  tensor.match.name = placement->name();
  describeMatch(run.program, *placement, tensor.match);
  const Tensor stored = asStored(*placement, *subject.check.expectation().oracle.find(placement->name()));
  tensor.stored = {stored, stored};
  Origin origin = originOf(run.program, tensor.match, placement->layer());
  origin.bug = "none";
  if (kind < 1) {
    origin.text = "equal";
    return sampleOf(run, tensor, form, std::move(origin));
  }
  form.knowsRun = false;
  form.knowsProgram = form.knowsProgram && kind < 6;
  if (kind < 7) {
    origin.text = "precision";
    return againstTruth(run, tensor, form, std::move(origin));
  }
  std::optional<Tensor> reference = computedOtherwise(*placement, stored);
  if (!reference)
    return std::optional<Sample>(without("no_other_rounding"));
  tensor.stored.reference = *std::move(reference);
  origin.text = "other_rounding";
  return sampleOf(run, tensor, form, std::move(origin));
}

} // namespace tilerig::verify
