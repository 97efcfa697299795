// Kernels of the operators that a program runs on the host between two device stages, in a table by name.
// The kernels work on tensors of the model, which the host reads from DDR and writes back.
#pragma once

#include "emulator/Host/Framework.h"
#include "isa/Program/Program.h"

#include <span>

namespace tilerig::emulator {

// Arguments of a kernel: its attributes, and its inputs in order (null for an absent optional input).
struct HostCall {
  const proto::HostWork &work;
  std::vector<const Tensor *> inputs;

  Error refuse(std::string reason) const;
  // Returns input number `index` of the operator, or an error if it is absent.
  Result<const Tensor *> input(size_t index) const;
  Result<int64_t> integer(const std::string &attribute, std::optional<int64_t> fallback = {}) const;
  // All values of an integer attribute of the operator; an error if the attribute is absent.
  Result<std::vector<int64_t>> integers(const std::string &attribute) const;
  Result<float> real(const std::string &attribute, float fallback) const;
  std::string text(const std::string &attribute, const std::string &fallback) const;
  // Returns input number `index` of the operator, or null if it is absent.
  const Tensor *optional(size_t index) const { return index < inputs.size() ? inputs[index] : nullptr; }
};

struct HostResult {
  std::vector<Tensor> outputs;
  // Number of arithmetic operations that the kernel computed; only for kernels of which isa/Timing/Host.h
  // says that this number depends on data values.
  std::optional<uint64_t> operations = {};
};

struct HostKernel {
  std::string_view name; // name of the ONNX operator, as in isa/Timing/Host.h
  Result<HostResult> (*run)(const HostCall &call);
};
// Pads the result of an operator with -1 to the shape `reserved`, for which the program reserves memory. Used
// if the length of an axis of the result depends on values. Returns an error if the result does not fit.
Result<Tensor> fitInto(const Shape &reserved, const Tensor &result, const std::string &place);

std::span<const HostKernel> hostKernels();
// Returns the host kernel of that name, or null if there is none.
const HostKernel *findHostKernel(std::string_view name);
// Returns an error if a host stage of the program names a kernel that the emulator does not have, or needs the
// framework although `framework` is null.
Status checkHostKernels(const Program &program, const Framework *framework);

uint64_t countOf(const Shape &shape); // number of elements

// The host kernels, one for each operator that the host can run.
Result<HostResult> runAbs(const HostCall &call);
Result<HostResult> runAdd(const HostCall &call);
Result<HostResult> runBitShift(const HostCall &call);
Result<HostResult> runBitwiseAnd(const HostCall &call);
Result<HostResult> runBitwiseNot(const HostCall &call);
Result<HostResult> runBitwiseOr(const HostCall &call);
Result<HostResult> runBitwiseXor(const HostCall &call);
Result<HostResult> runCast(const HostCall &call);
Result<HostResult> runConcat(const HostCall &call);
Result<HostResult> runDiv(const HostCall &call);
Result<HostResult> runEqual(const HostCall &call);
Result<HostResult> runExpand(const HostCall &call);
Result<HostResult> runGatherElements(const HostCall &call);
Result<HostResult> runGatherND(const HostCall &call);
Result<HostResult> runGreater(const HostCall &call);
Result<HostResult> runGreaterOrEqual(const HostCall &call);
Result<HostResult> runGridSample(const HostCall &call);
Result<HostResult> runGru(const HostCall &call);
Result<HostResult> runLess(const HostCall &call);
Result<HostResult> runLessOrEqual(const HostCall &call);
Result<HostResult> runLstm(const HostCall &call);
Result<HostResult> runMax(const HostCall &call);
Result<HostResult> runMaxRoiPool(const HostCall &call);
Result<HostResult> runMin(const HostCall &call);
Result<HostResult> runMod(const HostCall &call);
Result<HostResult> runMul(const HostCall &call);
Result<HostResult> runNeg(const HostCall &call);
Result<HostResult> runNonMaxSuppression(const HostCall &call);
Result<HostResult> runNonZero(const HostCall &call);
Result<HostResult> runPow(const HostCall &call);
Result<HostResult> runReshape(const HostCall &call);
Result<HostResult> runReverseSequence(const HostCall &call);
Result<HostResult> runRnn(const HostCall &call);
Result<HostResult> runRoiAlign(const HostCall &call);
Result<HostResult> runScatterElements(const HostCall &call);
Result<HostResult> runScatterND(const HostCall &call);
Result<HostResult> runSign(const HostCall &call);
Result<HostResult> runSlice(const HostCall &call);
Result<HostResult> runSub(const HostCall &call);
Result<HostResult> runTopK(const HostCall &call);
Result<HostResult> runTranspose(const HostCall &call);
Result<HostResult> runWhere(const HostCall &call);

} // namespace tilerig::emulator
