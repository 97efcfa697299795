// Options of a run of a model.
#pragma once

#include "reference/Run/Operator.h"

#include <cstdint>
#include <functional>
#include <string>

namespace tilerig::reference {

// The type in which floats are computed and stored between operators.
enum class Precision {
  fp32, // floats have the types of the model
  fp64, // every float32 is converted to double at the start
  fp16, // computed in fp32; the result of every operator is rounded to float16
  bf16, // computed in fp32; the result of every operator is rounded to bfloat16
};

struct RunOptions {
  Precision precision = Precision::fp32;
  Arithmetic arithmetic = Arithmetic::fast;
  // Callback that gets every value of the main graph when it is computed, except inputs and initialisers, in
  // an order that depends only on the model. An error ends the run. May be empty.
  std::function<Status(const std::string &name, const Tensor &value)> capture;
  // Callback that gets every value of the main graph, including inputs but not initialisers, and returns the
  // tensor that is stored instead, for example a rounded one. May be empty.
  std::function<Tensor(const std::string &name, Tensor value)> store;
  // Callback after every node, to show progress. May be empty.
  std::function<void(size_t done, size_t total)> progress;
  // Limit in bytes of the memory for tensors and for the operators' scratch buffers, without the weights in
  // the model's files; exceeding it is an error. 0: a default that depends on the size of the weights
  // (isa/Base/Tensor/MemoryLimit.h).
  uint64_t memoryLimit = 0;
  // Maximum number of nodes executed in a run; each iteration of a loop counts as at least one. Bounds loops
  // that would not end by themselves.
  uint64_t nodeLimit = 10'000'000;
};

} // namespace tilerig::reference
