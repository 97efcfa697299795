// A random test case for `tilerig check`, drawn from a seed: model, inputs, precision, machine and strategy.
#pragma once

#include "tests/conformance/random-graphs/Trial.h"
#include "tests/support/RandomModel/RandomModel.h"
#include "verify/Check/Check.h"

#include <optional>

namespace tilerig::checks {

struct Setting {
  std::string precision, machine;
  bool breaksConstants = false; // whether the compiled program's constants are altered, as a negative control
  unsigned tiles = 1;
  bool pinsWeights = false;
  compiler::StrategyFile strategy; // hints on how the compiler splits some layers; may be empty
};

struct Case {
  meaning::Trial trial;
  meaning::Values calibration; // inputs for calibration; if empty, the inputs of the run are used
  Setting setting;
};

// A random case without hints for layers: hints name layers, which are known only after compilation.
Case randomCase(uint64_t seed, int mostNodes, test::RandomOperators operators = test::RandomOperators::core);
// A random case with edge values in its inputs: NaN, infinities, subnormals, and numbers whose sums or
// products overflow. In float precisions some weights are edge values, too.
Case edgeCase(uint64_t seed, int mostNodes, test::RandomOperators operators = test::RandomOperators::core);
// Replaces the hints of about half of the layers in `applied` by random ones that fit the kind of layer
// (convolution, matrix product, other).
compiler::StrategyFile randomHints(compiler::StrategyFile applied, uint64_t seed);

// A defect that a case shows. Its kind lets the shrinker ask whether a smaller model shows the same defect.
struct Finding {
  enum class Kind { error, fault, bits, emitted, rounded } kind;
  std::string description;
  std::optional<ErrorKind> error = {}; // kind of the error, if the defect is an error

  bool isLike(const Finding &other) const { return kind == other.kind && error == other.error; }
};
struct Verdict {
  std::optional<Finding> finding;
  std::string refused; // why the compiler does not support the model; empty if it does
  bool broken = false; // whether constants of the program were altered
  // Numbers of comparisons. `tensors`: tensors of the program, compared with the reference run. `emitted`:
  // layers of the ONNX model that the compiler writes, compared with the original model. `rounded`: layers
  // computed in the precision chosen for them, compared with the same layers in floats.
  size_t tensors = 0, emitted = 0, rounded = 0;
  std::vector<std::string> operators; // ONNX operators of the compared layers, without duplicates
};

// Compiles and runs the case. Compares every tensor with the reference run bit for bit, every layer of the
// ONNX model that the compiler writes with the original model, and the rounding error of every layer with its
// bound.
Verdict judge(const Case &testCase, reference::Threads &threads);
// Compiles the case to learn its layers, stores random hints for these layers in the case, and runs all
// comparisons with the hints, or without them if the compiler cannot apply them.
Verdict judgeWithHints(Case &testCase, uint64_t seed, reference::Threads &threads);

} // namespace tilerig::checks
