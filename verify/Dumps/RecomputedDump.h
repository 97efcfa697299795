// The tensors of a dump beside what the model computes in their places, from the dump's own tensors that flow into them.
#pragma once

#include "verify/Dumps/DumpedNumbers.h"
#include "verify/Dumps/ModelOfDumps.h"
#include "verify/Dumps/NodeChanges.h"
#include "verify/Evidence/Circumstances.h"
#include "verify/Metrics/Comparison.h"

#include <functional>
#include <map>

namespace tilerig::verify {

struct RecomputedTensor {
  // Float32; only kept of tensors that are wrong by themselves. Numbers that rounding explains are replaced by the expected ones.
  Tensor expected, dumped;
  DumpPrecision precision = DumpPrecision::fp32;
  bool isWrong = false;
  std::optional<RoundingOfDump> rounding; // only kept of tensors that are wrong by themselves
  double tolerance = 0; // the largest difference from an expected zero that rounding explains
  // Why nothing can be said; the status is then shapeMismatch, dtypeMismatch or, if rounding explains anything, mismatch.
  TensorStatus status = TensorStatus::match;
  std::string failure;
};

// Loads the dumped tensor of a value of the model, with its axes in the model's order as far as that is known. Empty if the
// dump lacks it.
using LoadTensor = std::function<Result<std::optional<Tensor>>(const std::string &value)>;

// A mistake in one node of the model with which the model computes the dump's wrong tensor (NodeChanges.h).
struct ReproducedTensor {
  std::string words;
  std::vector<BugClass> classes;
  double share = 0; // of the wrong elements, that have the dumped number then
};

class RecomputedDump {
public:
  // `dumped` are the model's values that the dump has. `usual` loads tensors of the reference, for the scales of integers. All arguments
  // must outlive the object.
  // `scales` are known ones of integers, by value.
  RecomputedDump(const ModelOfDumps &model, std::set<std::string> dumped, LoadTensor load, LoadTensor usual,
                 std::optional<DumpPrecision> precision, TensorScales scales = {})
      : model(model), dumped(std::move(dumped)), load(std::move(load)), usual(std::move(usual)),
        precision(precision), scales(std::move(scales)) {}

  // Runs the model on the inputs.
  Status recompute(const reference::NamedTensors &inputs);
  // The tensors that were compared, by value. Values that are not floats are not.
  const std::map<std::string, RecomputedTensor> &tensors() const { return compared; }
  std::set<std::string> wrong() const;
  // How a value was stored, if it was dumped as 8-bit integers.
  std::optional<StoredSteps> stepsOf(const std::string &value) const;
  // The sum of products behind a wrong tensor; null if there is none of a known form.
  std::shared_ptr<const Product> productOf(const std::string &value) const;
  // What is known of a wrong tensor besides its numbers.
  Circumstances knownOf(const std::string &value) const;
  // Changes each node behind a wrong tensor, one at a time, until the model computes what was dumped.
  std::optional<ReproducedTensor> reproduced(const std::string &value) const;

private:
  void doubtFollowers();
  std::set<std::string> usable() const;
  std::set<std::string> takeParts();
  Status readOperands(const reference::NamedTensors &inputs);
  // The dump's numbers in place of those that the model computes; empty if the dump lacks them.
  Result<std::optional<DumpedNumbers>> numbersOf(const std::string &value, const Tensor &expected) const;

  const ModelOfDumps &model;
  std::set<std::string> dumped;
  LoadTensor load, usual;
  std::optional<DumpPrecision> precision;
  TensorScales scales;
  std::map<std::string, RecomputedTensor> compared;
  std::map<std::string, StoredSteps> steps; // of 8-bit integers, by value
  std::map<std::string, ProductNode> products;
  TensorMap operands;
  struct Parts {
    PartOfModel part, further; // the nodes behind a tensor; and with those behind what they read
  };
  std::map<std::string, Parts> parts; // of the first wrong tensors
  TensorMap known;                    // what these read
};

} // namespace tilerig::verify
