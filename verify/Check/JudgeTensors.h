// Last step of a check: compares every tensor of the program in three ways. Device against oracle (the
// emitted ONNX model, run by the reference interpreter) shows whether there is a bug. Oracle against truth
// (the original model in floats) shows how much accuracy the precision costs. Device against truth shows the
// total error.
#pragma once

#include "verify/Check/Device.h"
#include "verify/Check/Expectation.h"
#include "verify/Check/TensorSources.h"
#include "verify/Inputs/Matching.h"
#include "verify/Inputs/ThresholdsFile.h"
#include "verify/Metrics/Comparison.h"

#include <functional>
#include <optional>

namespace tilerig::verify {

struct JudgeOptions {
  // Elements whose error is within these tolerances are counted and drawn as passed. A tensor nevertheless
  // has the status match only if all its elements are equal.
  Limits limits;
  Thresholds thresholds;
  unsigned threads = 1;
};

struct LoadedPair {
  Tensor reference, target;
};

struct CheckedTensor {
  TensorMatch match;
  std::set<std::string> sources; // names of the program's tensors from which the tensor is computed
  // Comparison of the device's tensor with the oracle's, as stored. Its status is that of the tensor: match
  // if both are equal; inherited if they differ only because an input of the layer is wrong.
  Comparison comparison;
  LoadedPair stored;
  // Compares the layer's result on the device, computed from the oracle's inputs, with the oracle's result.
  std::optional<Comparison> isolated;
  std::optional<Tensor> alone;          // the layer's result on the device, computed from the oracle's inputs
  std::vector<std::string> wrongInputs; // those of `sources` that are wrong on the device
  // `noise`: the oracle's tensor compared with the truth, the original model's tensor in floats. `truth`: the
  // device's tensor compared with the truth. Both compare numbers in the model's type, and are empty if the
  // original model lacks the tensor.
  std::optional<Comparison> noise, truth;
  LoadedPair real; // the tensor of the original model, and the device's tensor converted to the model's type
};
using VisitTensor = std::function<Status(const CheckedTensor &)>;

// Whether device and oracle (the expected tensors) are equal in every tensor of the program. If so, every
// layer had right inputs, so no isolated run with right inputs is needed.
bool agree(const Program &program, const Expectation &expectation, const DeviceRun &run);

// The tensors to pass to runIsolated(): the oracle's version of each tensor that a layer reads, in the stored
// type.
TensorMap givenTensors(const Program &program, const TensorSources &sources, const Expectation &expectation);

// Calls a function for each tensor of the program in order, except the model's inputs. Stops at the first
// error that the function returns. There may be no isolated run (`isolated` is then null).
Status judgeTensors(const Program &program, const TensorSources &sources, const Expectation &expectation,
                    const DeviceRun &accumulated, const DeviceRun *isolated, const JudgeOptions &options,
                    const VisitTensor &visit);

// The first tensor, in the order of layers, that differs between device and oracle (the expected tensors);
// empty if all are equal. Computes no metrics, so it is faster than judgeTensors().
std::optional<CheckedTensor> findFirstDiffering(const Program &program, const Expectation &expectation,
                                                const DeviceRun &accumulated, const DeviceRun *isolated);

// The names of the tensors of a program.
std::set<std::string> tensorNames(const Program &program);

} // namespace tilerig::verify
