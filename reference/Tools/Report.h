// The report of `tilerig reference` about a run, as text or as JSON.
#pragma once

#include "isa/Base/Tensor/TensorMap.h"
#include "reference/Run/Interpreter.h"

#include <optional>
#include <string>

namespace tilerig::reference {

// Summary of the simulated 8-bit quantisation.
struct SimulatedInt8 {
  size_t samples = 0;
  bool fromInputs = false; // whether the inputs themselves were the calibration sample
  std::string method;
  size_t stored = 0, weights = 0;
};

struct Report {
  std::string model, precision, arithmetic;
  unsigned threads = 1;
  size_t nodes = 0;
  std::optional<SimulatedInt8> simulation;
  std::optional<uint64_t> seed; // seed from which the inputs were generated
  NamedTensors inputs;
  TensorMap outputs;
  unsigned repeat = 1;
  double wallMilliseconds = 0; // median time of all runs
  std::string outputFile;      // file of the outputs; empty if none was written
  std::string captureFile;
  size_t captured = 0;
};

std::string asText(const Report &report);
std::string asJson(const Report &report);

} // namespace tilerig::reference
