// How a model is run: the choices of whoever runs it.
#pragma once

#include "reference/Run/Operator.h"

#include <cstdint>
#include <functional>
#include <string>

namespace tilerig::reference {

// The type in which floats are computed and kept between operators.
enum class Precision {
  fp32, // as the model says
  fp64, // every float32 is a double from the start
  fp16, // as fp32, and rounded to a float16 value after every operator
  bf16, // the same with bfloat16
};

struct RunOptions {
  Precision precision = Precision::fp32;
  Arithmetic arithmetic = Arithmetic::fast;
  // Called with every value of the main graph as it comes to be, inputs and initialisers excepted, in an
  // order that depends on the model alone. An error ends the run with it. May be empty.
  std::function<Status(const std::string &name, const Tensor &value)> capture;
  // What is kept of every value of the main graph, its inputs included, when it comes to be; initialisers
  // excepted. May be empty.
  std::function<Tensor(const std::string &name, Tensor value)> store;
  // Called after every node, for progress. May be empty.
  std::function<void(size_t done, size_t total)> progress;
  // What tensors and what operators work with beside them may take together, in bytes, weights in the
  // model's files excepted; more is refused. 0 stands for what is usual for
  // the bytes of the weights (isa/Tensor/MemoryLimit.h).
  uint64_t memoryLimit = 0;
  // Nodes that a run may execute, each step of a loop counting for at least one: what bounds a loop that has
  // no end of its own.
  uint64_t nodeLimit = 10'000'000;
};

} // namespace tilerig::reference
