// Operators that run on the host between two stages of the device, because the compiler says so: a table by
// name. They work on tensors of the model, which the host takes from DDR and puts back.
#pragma once

#include "isa/Program/Program.h"
#include "isa/Tensor/Tensor.h"

#include <span>

namespace tilerig {

// What a kernel is given: its attributes, and inputs in order (null where an optional one is absent).
struct HostCall {
  const proto::HostWork &work;
  std::vector<const Tensor *> inputs;

  Error refuse(std::string what) const;
  // The input, which must be there.
  Result<const Tensor *> input(size_t index) const;
  Result<int64_t> integer(const std::string &attribute, std::optional<int64_t> fallback = {}) const;
  // As many as there are; which it must have.
  Result<std::vector<int64_t>> integers(const std::string &attribute) const;
  Result<float> real(const std::string &attribute, float fallback) const;
  std::string text(const std::string &attribute, const std::string &fallback) const;
  // Null where an optional input is absent.
  const Tensor *optional(size_t index) const { return index < inputs.size() ? inputs[index] : nullptr; }
};

struct HostResult {
  std::vector<Tensor> outputs;
  // What these values took, where isa/Timing/Host.h says that it depends on values.
  std::optional<uint64_t> operations = {};
};

struct HostKernel {
  std::string_view name; // of the ONNX operator, as in isa/Timing/Host.h
  Result<HostResult> (*run)(const HostCall &call);
};
// What a kernel with an open axis gave, in the room that the program has. Refused if it is too small.
Result<Tensor> fitInto(const Shape &room, const Tensor &result, const std::string &place);

std::span<const HostKernel> hostKernels();
// Null if there is none of that name.
const HostKernel *findHostKernel(std::string_view name);

uint64_t countOf(const Shape &shape); // elements

// The kernels, by file.
Result<HostResult> runGatherElements(const HostCall &call);
Result<HostResult> runGatherND(const HostCall &call);
Result<HostResult> runGru(const HostCall &call);
Result<HostResult> runLstm(const HostCall &call);
Result<HostResult> runNonMaxSuppression(const HostCall &call);
Result<HostResult> runNonZero(const HostCall &call);
Result<HostResult> runReshape(const HostCall &call);
Result<HostResult> runReverseSequence(const HostCall &call);
Result<HostResult> runRnn(const HostCall &call);
Result<HostResult> runScatterElements(const HostCall &call);
Result<HostResult> runScatterND(const HostCall &call);
Result<HostResult> runSlice(const HostCall &call);
Result<HostResult> runTopK(const HostCall &call);
Result<HostResult> runTranspose(const HostCall &call);

} // namespace tilerig
