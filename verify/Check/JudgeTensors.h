// The last step: every tensor of the program, three ways. Device against oracle says whether there is a bug;
// oracle against truth how far the precision alone leads; device against truth is what people plot.
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
  Limits limits; // of elements, for pictures and counts: a match is equality
  Thresholds thresholds;
  unsigned threads = 1;
};

struct LoadedPair {
  Tensor reference, target;
};

struct CheckedTensor {
  TensorMatch match;
  std::set<std::string> sources; // the tensors of the program that it is made from
  // Device against oracle, as stored. The status is the tensor's: a match where the bits are equal, inherited
  // where they are not, but would be from right inputs, and some input is wrong.
  Comparison comparison;
  LoadedPair stored;
  std::optional<Comparison> isolated; // the same, of what the layer made from the oracle's inputs
  std::optional<Tensor> alone;        // which is this
  // In the model's type, against the truth, if the original has the tensor: the oracle, and the device.
  std::optional<Comparison> noise, truth;
  LoadedPair real; // truth and device
};
using VisitTensor = std::function<Status(const CheckedTensor &)>;

// Whether device and oracle are equal in every tensor of the program. What an isolated run would show is then
// known: every layer had the oracle's inputs already.
bool agree(const Program &program, const Expectation &expectation, const DeviceRun &run);

// What runIsolated() is to be given: the oracle's tensors, as stored, as far as layers read them.
TensorMap givenTensors(const Program &program, const TensorSources &sources, const Expectation &expectation);

// Calls visit for the tensors of the program in their order; inputs of the model are not judged. `isolated`
// may be null. Ends with the visitor's error.
Status judgeTensors(const Program &program, const TensorSources &sources, const Expectation &expectation,
                    const DeviceRun &accumulated, const DeviceRun *isolated, const JudgeOptions &options,
                    const VisitTensor &visit);

// The first tensor in the order of layers of which device and oracle differ, with its match, the stored pair
// and what came of right inputs, and nothing compared: for whoever wants no more. Nothing where all agree.
std::optional<CheckedTensor> findFirstDiffering(const Program &program, const Expectation &expectation,
                                                const DeviceRun &accumulated, const DeviceRun *isolated);

// The names of the tensors of a program.
std::set<std::string> tensorNames(const Program &program);

} // namespace tilerig::verify
