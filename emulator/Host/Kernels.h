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
};

// Steps of a kernel for shapes alone, each about a nanosecond of one core; see Time.h.
using HostOperations = uint64_t (*)(std::span<const Shape> inputs, std::span<const Shape> outputs);

struct HostKernel {
  std::string_view name;
  Result<std::vector<Tensor>> (*run)(const HostCall &call);
  HostOperations operations;
};

// Null if there is none of that name.
const HostKernel *findHostKernel(std::string_view name);

uint64_t countOf(const Shape &shape); // elements

// The kernels, by file.
Result<std::vector<Tensor>> runTopK(const HostCall &call);

} // namespace tilerig
