// A network that is compiled once and into which bugs are injected. For each bug, it gives the wrong result of
// the layer and the clean one.
#pragma once

#include "tests/unit/Verify/CheckedNetwork.h"
#include "tests/unit/Verify/MutantNetworks.h"
#include "verify/Check/Injection.h"
#include "verify/Check/StoredTensors.h"

namespace tilerig::verify::test {

// The clean and the wrong tensor of a layer, in the type and axis order of the model.
struct LayerEvidence {
  std::string tensor;
  Shape shape;
  std::vector<float> clean, wrong;
  double step = 0; // quantisation scale of the tensor, if its type is quantised

  size_t size() const { return clean.size(); }
  double error(size_t i) const { return static_cast<double>(wrong[i]) - clean[i]; }
  bool differs(size_t i) const { return wrong[i] != clean[i]; }
  size_t numDifferent() const {
    size_t count = 0;
    for (size_t i = 0; i < size(); ++i)
      count += differs(i);
    return count;
  }
  double largest() const {
    double largest = 0;
    for (const float element : clean)
      largest = std::max<double>(largest, std::abs(element));
    return largest;
  }
  // Sizes of an image tensor; its axes are batch, channels, rows, columns.
  int64_t channels() const { return shape.size() == 4 ? shape[1] : shape.back(); }
  int64_t rows() const { return shape.size() == 4 ? shape[2] : 1; }
  int64_t columns() const { return shape.size() == 4 ? shape[3] : 1; }
  size_t at(int64_t c, int64_t h, int64_t w) const {
    return static_cast<size_t>(shape.size() == 4 ? (c * rows() + h) * columns() + w : c);
  }
};

struct RunMutant {
  Mutant mutant;
  CheckRun run;
  Caught caught;
  bool equivalent = false;

  int64_t parameter(const char *name) const { return mutant.bug.choice.values.at(name); }
  std::string word(const char *name) const {
    for (const BugParameter &bugParameter : mutant.bug.choice.bug->parameters)
      if (bugParameter.name == name)
        return printBugValue(bugParameter, parameter(name));
    throw std::runtime_error(name);
  }
};

class MutantMaker {
public:
  MutantMaker(const SmallNetwork &network, const std::string &precision, unsigned tiles,
              const std::string &machine = "tr64", const std::string &calibration = {})
      : source(sourceOf("small", network.model.bytes())) {
    options.precision = precision;
    options.machine = valueOf(loadMachine(machine));
    options.program.tiles = tiles;
    // Without a limit of DDR reads, each wait keeps a dependency, so that the analyser sees if one is missing.
    options.program.ddrReads = 0;
    options.calibration = calibration;
    options.keepsOps = true;
    check.emplace(valueOf(Check::create(source, inputsOf(source), options, testThreads())));
  }

  Result<Mutant> inject(const std::string &text, uint64_t seed) const {
    TILERIG_TRY(const BugChoice choice, parseBugChoice(text));
    return injectBug(check->model(), options, choice, seed);
  }
  RunMutant run(Mutant mutant, std::optional<uint64_t> jitter = {}) const {
    CheckRun ran =
        valueOf(check->run(mutant.program, {.threads = 2, .jitter = jitter, .faultFile = mutant.faultFile}));
    const Caught caught = caughtBefore(ran);
    const bool equivalent = check->agrees(ran);
    return {std::move(mutant), std::move(ran), caught, equivalent};
  }
  RunMutant run(const std::string &text, uint64_t seed) const { return run(valueOf(inject(text, seed))); }

  // The result of the layer in which the bug was injected.
  LayerEvidence evidence(const RunMutant &mutant) const {
    for (const proto::Tensor &placement : mutant.run.program.metadata.tensors())
      if (placement.layer() == mutant.mutant.bug.layer && placement.role() != proto::INPUT)
        return evidence(mutant, placement);
    throw std::runtime_error("the layer gives no tensor");
  }

  // Whether the tensor of the bug's layer is wrong when all inputs of this layer are replaced by correct
  // ones. Unless the bug is in hardware, the inputs are correct in any case. The tensor must then have the
  // same number of wrong elements without the replacement.
  bool isWrongFromRightInputs(const RunMutant &mutant) const {
    const bool hadRightInputs = mutant.mutant.bug.choice.bug->stage != BugStage::hardware;
    bool isWrong = false;
    (void)check->judge(mutant.run, {}, [&](const CheckedTensor &tensor) {
      if (tensor.match.name == evidence(mutant).tensor && tensor.isolated)
        isWrong = tensor.isolated->different > 0 &&
                  (!hadRightInputs || tensor.isolated->different == tensor.comparison.different);
      return success();
    });
    return isWrong;
  }

  const Check &checked() const { return *check; }
  const CompileOptions &compileOptions() const { return options; }

private:
  static SourceModel sourceOf(const std::string &name, const std::string &bytes) {
    return SourceModel::of(name, bytes);
  }

  static std::vector<float> numbers(const proto::Tensor &placement, const Tensor &stored) {
    const Tensor real = valueOf(asModel(placement, stored));
    std::vector<float> values;
    if (real.dtype() == DType::f32)
      values.assign(real.as<float>().begin(), real.as<float>().end());
    else if (real.dtype() == DType::i8)
      values.assign(real.as<int8_t>().begin(), real.as<int8_t>().end());
    else
      throw std::runtime_error("a tensor that is not of fp32");
    return values;
  }

  LayerEvidence evidence(const RunMutant &mutant, const proto::Tensor &placement) const {
    const Tensor *wrong = mutant.run.accumulated.tensors.find(placement.name());
    const Tensor *due = check->expectation().oracle.find(placement.name());
    if (!wrong || !due)
      throw std::runtime_error(placement.name() + " was not seen");
    LayerEvidence evidence{.tensor = placement.name(),
                           .shape = wrong->shape(),
                           .clean = numbers(placement, asStored(placement, *due)),
                           .wrong = numbers(placement, *wrong),
                           .step = placement.scale()};
    return evidence;
  }

  SourceModel source;
  CompileOptions options;
  std::optional<Check> check;
};

} // namespace tilerig::verify::test
