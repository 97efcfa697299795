// Judges every pass of a compilation: after each pass that changed the module, what the changed operations
// compute is compared with what they computed before.
//
// This header has the options and results, and does not include MLIR, so callers do not depend on it.
#pragma once

#include "isa/Base/Support/Error.h"
#include "isa/Base/Tensor/TensorMap.h"
#include "isa/Program/Program.h"

#include <functional>
#include <onnx/onnx_pb.h>
#include <optional>
#include <string>
#include <vector>

namespace tilerig::compiler {

// Runs ONNX models for the pass check. The compiler has no interpreter; the caller provides one that shares
// no code with the compiler, so that no bug can be on both sides of a comparison.
class ModelRunner {
public:
  enum class Arithmetic {
    doubles, // every float of 32 bits is computed as double
    device,  // the exact arithmetic of the device
  };
  using Visit = std::function<void(const std::string &name, const Tensor &tensor)>;

  virtual ~ModelRunner() = default;
  // Returns the outputs of the model. Floats among the inputs are doubles if the arithmetic is `doubles`.
  // `visit` is called with every tensor that the model computes, and with its constants.
  virtual Result<TensorMap> run(const onnx::ModelProto &model, const TensorMap &inputs, Arithmetic arithmetic,
                                const Visit &visit) = 0;
};

// Runs programs for the judgement of passes over programs. The compiler has no emulator; the caller provides one.
class ProgramRunner {
public:
  virtual ~ProgramRunner() = default;
  // Returns every tensor that the program keeps, computed from the inputs of the network. Fails if the program is
  // illegal, cannot be proved free of races, or ends with a fault.
  virtual Result<TensorMap> run(Program program) = 0;
};

struct PassCheckOptions {
  ModelRunner *runner = nullptr; // null: passes are not judged
  ProgramRunner *programs = nullptr;
  // Every tensor of the original model by name, computed in doubles, and the inputs of the model.
  TensorMap original;
};

// A pass that changed the module, but could not be judged.
struct SkippedPass {
  std::string pass;
  size_t index = 0; // position among the passes that ran, counted from 0
  std::string reason;
};

// The first pass that changed the meaning of the module.
struct WrongPass {
  std::string pass;
  size_t index = 0;
  std::optional<size_t> rewrite; // number of the first wrong rewrite of the pass, counted from 0
  std::string pattern;           // name of the rewrite pattern; empty if unknown
  std::string operation;         // as "graph.conv"
  std::string onnxNode;          // name of the last ONNX node from which the operation was made
  std::string tensor;            // name of the model's tensor that the operation computes
  double maxAbs = 0;             // largest difference of an element
  double bound = 0;              // largest difference that rounding explains
  std::string contradiction;     // why the tensor cannot be computed after the pass; empty if it can
  std::string before, after;     // the operations that compute the tensor, as text
  TensorMap values;              // the tensor `before` and `after`; empty if there is a contradiction
  std::string reproducer;        // text of the smallest module that shows the difference, with its pipeline
  TensorMap reproducerInputs;
  size_t reproducerOperations = 0; // without constants
};

struct PassCheckResult {
  size_t ran = 0;     // passes that ran
  size_t checked = 0; // passes that changed the module and were judged
  std::vector<SkippedPass> skipped;
  std::optional<WrongPass> firstWrong;
  std::optional<size_t> precisionIndex; // position of decide-precision, which is judged layer by layer
};

} // namespace tilerig::compiler
