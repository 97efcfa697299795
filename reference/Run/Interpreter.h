// Runs a model: node by node, every value named as in the file, memory given back after a value's last use.
#pragma once

#include "reference/Model/Graph.h"
#include "reference/Run/Operator.h"

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
  // Called with every value of the main graph as it comes to be, inputs and initialisers excepted. May be
  // empty.
  std::function<void(const std::string &name, const Tensor &value)> capture;
  // Called after every node, for progress. May be empty.
  std::function<void(size_t done, size_t total)> progress;
};

using NamedTensors = std::map<std::string, Tensor>;

class Interpreter {
public:
  // Refuses a model with an operator that is not known, by node and name.
  static Result<Interpreter> create(Model model, RunOptions options, Threads &threads);

  // Inputs by name; all that the model declares must be there, of the declared type and shape, and no others.
  Result<NamedTensors> run(const NamedTensors &inputs) const;

  const Model &model() const { return loaded; }

private:
  Interpreter(Model model, RunOptions options, Threads &threads)
      : loaded(std::move(model)), options(std::move(options)), threads(&threads) {}

  Model loaded;
  RunOptions options;
  Threads *threads;
};

} // namespace tilerig::reference
