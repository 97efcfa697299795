#include "verify/Check/JudgeTensors.h"

#include "verify/Check/StoredTensors.h"
#include "verify/Metrics/Compare.h"

#include <algorithm>
#include <fmt/core.h>
#include <fmt/ranges.h>

namespace tilerig::verify {

namespace {

// Whether all elements have equal values: −0 equals +0, and NaN equals NaN.
bool areEqual(const Tensor &reference, const Tensor &target) {
  return identical(reference, target) ||
         compareTensors(reference, target, {.limits = {}, .exact = true}).status == TensorStatus::match ||
         (reference.elementCount() == 0 && reference.shape() == target.shape());
}

// Names of the program's tensors that differ between device and oracle (the expected tensors), or that only
// one of the two has.
std::set<std::string> findDiffering(const Program &program, const Expectation &expectation,
                                    const DeviceRun &run) {
  std::set<std::string> differing;
  for (const proto::Tensor &placement : program.metadata.tensors()) {
    if (std::ranges::find(run.notKept, placement.name()) != run.notKept.end())
      continue;
    const Tensor *oracle = expectation.oracle.find(placement.name());
    const Tensor *device = run.tensors.find(placement.name());
    if (placement.role() == proto::INPUT)
      continue;
    if (!oracle || !device || !areEqual(asStored(placement, *oracle), asEmitted(placement, *oracle, *device)))
      differing.insert(placement.name());
  }
  return differing;
}

class Judge {
public:
  Judge(const Program &program, const TensorSources &sources, const Expectation &expectation,
        const DeviceRun &accumulated, const DeviceRun *isolated, const JudgeOptions &options)
      : program(program), sources(sources), expectation(expectation), accumulated(accumulated),
        isolated(isolated), options(options), differing(findDiffering(program, expectation, accumulated)) {}

  Result<CheckedTensor> judge(const proto::Tensor &placement) const {
    CheckedTensor checked;
    checked.match.name = checked.match.reference = checked.match.target = placement.name();
    describeMatch(program, placement, checked.match);
    if (const auto entry = sources.find(placement.name()); entry != sources.end())
      checked.sources = entry->second;
    std::ranges::set_intersection(checked.sources, differing, std::back_inserter(checked.wrongInputs));
    const Tensor *oracle = expectation.oracle.find(placement.name());
    const Tensor *device = accumulated.tensors.find(placement.name());
    if (!oracle || !device)
      return missing(std::move(checked), oracle);
    checked.stored = {asStored(placement, *oracle), asEmitted(placement, *oracle, *device)};
    checked.comparison = compareBits(checked.match, checked.stored.reference, checked.stored.target);
    if (isolated)
      if (const Tensor *alone = isolated->tensors.find(placement.name())) {
        checked.alone = asEmitted(placement, *oracle, *alone);
        checked.isolated = compareBits(checked.match, checked.stored.reference, *checked.alone);
      }
    settle(checked);
    TILERIG_CHECK_OK(compareWithTruth(placement, checked));
    return checked;
  }

private:
  CheckedTensor missing(CheckedTensor checked, const Tensor *oracle) const {
    checked.comparison.status = TensorStatus::missing;
    if (!oracle)
      checked.comparison.reason = "the emitted ONNX model does not compute this tensor";
    else if (!accumulated.faults.empty())
      checked.comparison.reason = "the program did not run to its end: " + accumulated.faults.front();
    else
      checked.comparison.reason = "the emulator did not capture this tensor";
    (oracle ? checked.match.target : checked.match.reference).clear();
    return checked;
  }

  Limits limitsFor(const TensorMatch &match, DType type) const {
    Limits limits = options.limits;
    limits.eightBit = match.eightBit;
    return options.thresholds.limitsFor(limits, type, match.name, match.layer);
  }
  Comparison compareBits(const TensorMatch &match, const Tensor &oracle, const Tensor &device) const {
    Comparison comparison = compareTensors(
        oracle, device,
        {.limits = limitsFor(match, device.dtype()), .exact = true, .threads = options.threads});
    // A tensor that has no elements by its shape is computed rightly if the shape is right, which the comparison has shown.
    if (comparison.status == TensorStatus::empty)
      comparison.status = TensorStatus::match;
    return comparison;
  }

  // Sets the status of a wrong tensor to "inherited" if some input of its layer is wrong, and the layer
  // computes the right tensor from right inputs.
  void settle(CheckedTensor &checked) const {
    Comparison &comparison = checked.comparison;
    if (comparison.status == TensorStatus::match || !checked.isolated ||
        checked.isolated->status != TensorStatus::match)
      return;
    const std::vector<std::string> &wrong = checked.wrongInputs;
    if (wrong.empty()) {
      comparison.reason +=
          "; the inputs of the layer are right, and the tensor is right, too, if the emulator writes them "
          "once more before the layer runs: the layer reads its inputs from another address, or too early";
      return;
    }
    comparison.status = TensorStatus::inherited;
    comparison.reason =
        fmt::format("{}; the tensor is right if its inputs are right, but {} {} wrong", comparison.reason,
                    fmt::join(wrong, ", "), wrong.size() == 1 ? "is" : "are");
  }

  Status compareWithTruth(const proto::Tensor &placement, CheckedTensor &checked) const {
    const Tensor *original = expectation.truth.find(placement.name());
    if (!original)
      return success();
    TILERIG_TRY(const Tensor oracle, asOriginal(placement, checked.stored.reference, original->dtype()));
    const Tensor truth = paddedTo(*original, oracle.shape());
    TILERIG_TRY(Tensor device, asOriginal(placement, checked.stored.target, original->dtype()));
    const CompareOptions compare{
        .limits = limitsFor(checked.match, oracle.dtype()), .acrossTypes = true, .threads = options.threads};
    checked.noise = compareTensors(truth, oracle, compare);
    // If the device's tensor equals the oracle's, it differs from the original model's tensor in the same
    // way, so the comparison is not repeated.
    checked.truth = checked.comparison.status == TensorStatus::match ? *checked.noise
                                                                     : compareTensors(truth, device, compare);
    checked.real = {truth, std::move(device)};
    return success();
  }

  const Program &program;
  const TensorSources &sources;
  const Expectation &expectation;
  const DeviceRun &accumulated;
  const DeviceRun *isolated;
  const JudgeOptions &options;
  std::set<std::string> differing;
};

} // namespace

std::set<std::string> tensorNames(const Program &program) {
  std::set<std::string> names;
  for (const proto::Tensor &placement : program.metadata.tensors())
    names.insert(placement.name());
  return names;
}

bool agree(const Program &program, const Expectation &expectation, const DeviceRun &run) {
  return findDiffering(program, expectation, run).empty();
}

TensorMap givenTensors(const Program &program, const TensorSources &sources, const Expectation &expectation) {
  std::set<std::string> areRead;
  for (const auto &[name, from] : sources)
    areRead.insert(from.begin(), from.end());
  TensorMap replacements;
  for (const proto::Tensor &placement : program.metadata.tensors()) {
    const Tensor *oracle = expectation.oracle.find(placement.name());
    if (placement.role() != proto::INPUT && oracle && areRead.contains(placement.name()) &&
        placement.pieces_size() > 0)
      // Adding the tensor to the map cannot fail, because the names of a program's tensors are unique.
      (void)replacements.add(placement.name(), asStored(placement, *oracle));
  }
  return replacements;
}

std::optional<CheckedTensor> findFirstDiffering(const Program &program, const Expectation &expectation,
                                                const DeviceRun &accumulated, const DeviceRun *isolated) {
  const std::set<std::string> differing = findDiffering(program, expectation, accumulated);
  const proto::Tensor *first = nullptr;
  for (const proto::Tensor &placement : program.metadata.tensors())
    if (differing.contains(placement.name()) && expectation.oracle.find(placement.name()) &&
        accumulated.tensors.find(placement.name()) && (!first || placement.layer() < first->layer()))
      first = &placement;
  if (!first)
    return {};
  CheckedTensor checked;
  checked.match.name = checked.match.reference = checked.match.target = first->name();
  describeMatch(program, *first, checked.match);
  const Tensor &oracle = *expectation.oracle.find(first->name());
  checked.stored = {asStored(*first, oracle),
                    asEmitted(*first, oracle, *accumulated.tensors.find(first->name()))};
  const Tensor *alone = isolated ? isolated->tensors.find(first->name()) : nullptr;
  if (alone)
    checked.alone = asEmitted(*first, oracle, *alone);
  return checked;
}

Status judgeTensors(const Program &program, const TensorSources &sources, const Expectation &expectation,
                    const DeviceRun &accumulated, const DeviceRun *isolated, const JudgeOptions &options,
                    const VisitTensor &visit) {
  const Judge judge(program, sources, expectation, accumulated, isolated, options);
  for (const proto::Tensor &placement : program.metadata.tensors()) {
    if (placement.role() == proto::INPUT ||
        std::ranges::find(accumulated.notKept, placement.name()) != accumulated.notKept.end())
      continue;
    TILERIG_TRY(const CheckedTensor checked, judge.judge(placement));
    TILERIG_CHECK_OK(visit(checked));
  }
  return success();
}

} // namespace tilerig::verify
