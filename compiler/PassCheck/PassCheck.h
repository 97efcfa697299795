// Checks every pass of a compilation: after each pass that changed the module, the results of the changed
// operations are compared with the results from before the pass.
//
// This header has the options and results of the check. It does not include MLIR, so callers do not depend on
// MLIR.
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

// Interface to an interpreter that runs ONNX models, to compare the results before and after a pass. The
// compiler contains no interpreter; the caller provides one that shares no code with the compiler, so that no
// bug can be on both sides of a comparison.
class ModelRunner {
public:
  enum class Arithmetic {
    doubles, // float32 tensors of the model are computed in float64
    device,  // tensors are computed in the device's arithmetic, bit for bit
  };
  using Visit = std::function<void(const std::string &name, const Tensor &tensor)>;

  virtual ~ModelRunner() = default;
  // Returns the outputs of the model. With arithmetic `doubles`, float32 inputs are passed as float64
  // tensors. `visit` is called for every tensor that the model computes and for every constant.
  virtual Result<TensorMap> run(const onnx::ModelProto &model, const TensorMap &inputs, Arithmetic arithmetic,
                                const Visit &visit) = 0;
};

// Interface to an emulator that runs programs, to compare the results before and after a pass over programs.
// The compiler contains no emulator; the caller provides one.
class ProgramRunner {
public:
  virtual ~ProgramRunner() = default;
  // Runs the program on the inputs of the network, and returns every tensor that the program keeps in memory.
  // Fails if the program is illegal, cannot be proved free of races, or ends with a fault.
  virtual Result<TensorMap> run(Program program) = 0;
};

struct PassCheckOptions {
  // Checks only what the pass decide-precision decides, which takes no run of a model: no other pass is checked, and there is no
  // reproducer.
  bool decisionsOnly = false;
  // Interpreter that runs ONNX models, to check passes. May be null if only decisions are checked.
  ModelRunner *runner = nullptr;
  // Emulator that runs programs, to check passes over programs; may be null.
  ProgramRunner *programs = nullptr;
  // Every tensor of the original ONNX model, inputs included, by name; computed in doubles.
  TensorMap original;
};

// A pass that changed the module, but whose results could not be compared.
struct SkippedPass {
  std::string pass;
  size_t index = 0; // index of the pass among all passes that ran
  std::string reason;
};

// The first pass that changed the meaning of the module.
struct WrongPass {
  std::string pass;
  size_t index = 0;
  std::optional<size_t> rewrite; // index of the first wrong rewrite among the rewrites of the pass
  std::string pattern;           // name of the wrong rewrite pattern; empty if unknown
  std::string operation;         // as "graph.conv"
  std::string onnxNode;          // name of the last ONNX node from which the wrong operation was made
  std::string tensor;            // name of the model's tensor that the wrong operation computes
  double maxAbs = 0;             // largest absolute difference of the tensor before and after the pass
  double bound = 0;              // largest difference of the tensor that rounding can explain
  std::string contradiction;     // why the module after the pass cannot compute the tensor; empty if it can
  std::string before, after;     // the operations that compute the tensor, as text
  TensorMap values;              // the tensor, as "before" and "after"; empty with a contradiction
  std::string reproducer;        // text of the smallest module that shows the difference, with its pipeline
  TensorMap reproducerInputs;
  size_t reproducerOperations = 0; // number of operations in the reproducer, without constants
};

struct PassCheckResult {
  size_t ran = 0;     // number of passes that the compilation ran
  size_t checked = 0; // number of passes that changed the module, and whose results were compared
  std::vector<SkippedPass> skipped;
  std::optional<WrongPass> firstWrong;
  // Index of the pass decide-precision among all passes that ran, if it ran. It changes the results of layers
  // by rounding, so its layers are compared one by one.
  std::optional<size_t> precisionIndex;
};

} // namespace tilerig::compiler
