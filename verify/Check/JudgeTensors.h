// Last step of a check: compares every tensor of the program in three ways. Device against oracle shows
// whether there is a bug, oracle against truth how much accuracy the precision alone costs, and device
// against truth the total error.
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
  Limits limits; // for elements, in pictures and counts; a match still means equality
  Thresholds thresholds;
  unsigned threads = 1;
};

struct LoadedPair {
  Tensor reference, target;
};

struct CheckedTensor {
  TensorMatch match;
  std::set<std::string> sources; // tensors of the program that it is computed from
  // Device against oracle, as stored. Its status is the tensor's: match if the bits are equal; inherited if
  // they differ, but would be equal if the layer had right inputs, and some input is wrong.
  Comparison comparison;
  LoadedPair stored;
  std::optional<Comparison> isolated; // layer's result from the oracle's inputs, against the oracle
  std::optional<Tensor> alone;        // that result
  // Oracle and device against the truth, in the model's type; empty if the original lacks the tensor.
  std::optional<Comparison> noise, truth;
  LoadedPair real; // the truth and the device's tensor, in the model's type
};
using VisitTensor = std::function<Status(const CheckedTensor &)>;

// Whether device and oracle are equal in every tensor of the program. An isolated run is then unnecessary:
// every layer already had the oracle's inputs.
bool agree(const Program &program, const Expectation &expectation, const DeviceRun &run);

// The tensors to pass to runIsolated(): the oracle's, as stored, if any layer reads them.
TensorMap givenTensors(const Program &program, const TensorSources &sources, const Expectation &expectation);

// Calls `visit` for each tensor of the program in order, except the model's inputs. `isolated` may be null.
// Stops at an error of `visit` and returns it.
Status judgeTensors(const Program &program, const TensorSources &sources, const Expectation &expectation,
                    const DeviceRun &accumulated, const DeviceRun *isolated, const JudgeOptions &options,
                    const VisitTensor &visit);

// The first tensor, in the order of layers, that differs between device and oracle: its match, stored pair
// and result from right inputs, without any comparison (cheaper than judgeTensors()). Empty if all are equal.
std::optional<CheckedTensor> findFirstDiffering(const Program &program, const Expectation &expectation,
                                                const DeviceRun &accumulated, const DeviceRun *isolated);

// The names of the tensors of a program.
std::set<std::string> tensorNames(const Program &program);

} // namespace tilerig::verify
