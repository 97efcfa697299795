// What `tilerig reference` says about a run, to people and to machines.
#pragma once

#include "isa/Tensor/TensorMap.h"
#include "reference/Run/Interpreter.h"

#include <optional>
#include <string>

namespace tilerig::reference {

struct Report {
  std::string model, precision, arithmetic;
  unsigned threads = 1;
  size_t nodes = 0;
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
