// What `tilerig reference` says about a run, to people and to machines.
#pragma once

#include "isa/Tensor/TensorMap.h"
#include "reference/Run/Interpreter.h"

#include <optional>
#include <string>

namespace tilerig::reference {

// What the run rounded to 8 bits.
struct SimulatedInt8 {
  size_t samples = 0;
  bool fromInputs = false; // the inputs were the sample
  std::string method;
  size_t stored = 0, weights = 0;
};

struct Report {
  std::string model, precision, arithmetic;
  unsigned threads = 1;
  size_t nodes = 0;
  std::optional<SimulatedInt8> simulation;
  std::optional<uint64_t> seed; // that inputs were made from
  NamedTensors inputs;
  TensorMap outputs;
  unsigned repeat = 1;
  double wallMilliseconds = 0; // of a run, the median of all
  std::string outputFile;      // empty where none was written
  std::string captureFile;
  size_t captured = 0;
};

std::string asText(const Report &report);
std::string asJson(const Report &report);

} // namespace tilerig::reference
