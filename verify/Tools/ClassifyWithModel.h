// Verdicts on two dumps whose ONNX model is known: each tensor of the target is compared with what the model computes from the
// target's own tensors that flow into it.
//
// The field "own" of a record (ClassifyPairs.h) is then
//
//   wrong        whether the tensor is wrong by itself, that is, not only because of what flows into it
//   different    number of elements that differ from what the model computes, by more than rounding explains
//   max_abs      their largest error
//   precision    in which the tensor was computed, as far as its numbers show: "fp32", "fp16", "bf16" or "int8"
//   node         name of the model's node that computes the tensor
//
// or null if the model does not compute the tensor. The status of a tensor that differs without being wrong by itself is "inherited".
#pragma once

#include "verify/Dumps/DumpedNumbers.h"
#include "verify/Tools/ClassifyPairs.h"

#include <string>
#include <vector>

namespace tilerig::verify {

struct ModelOptions {
  std::string path;                // empty: there is no model
  std::vector<std::string> inputs; // files with inputs of the model that the dumps lack
  std::optional<DumpPrecision> precision;
};

struct ClassifiedDump {
  Json layers;  // records of all pairs, in the model's order
  Json verdict; // on the whole: as headlineOf() of ClassifyReport.h, decided over all layers
};
Result<ClassifiedDump> classifyWithModel(const DumpPairs &pairs, const ModelOptions &options,
                                         reference::Threads &threads);

} // namespace tilerig::verify
