// A model with its inputs, run by the reference; and what its outputs are compared with.
#pragma once

#include "isa/Support/Error.h"
#include "isa/Tensor/Tensor.h"

#include <map>
#include <onnx/onnx_pb.h>
#include <string>
#include <string_view>

namespace tilerig::meaning {

using Values = std::map<std::string, Tensor>;

struct Trial {
  onnx::ModelProto model;
  Values inputs;
};

// Inputs by the model's declarations: floats uniform in [-1, 1), integers and bools 0 or 1. Refuses a model
// whose inputs have no fixed shape.
Result<Values> makeInputs(const onnx::ModelProto &model, uint64_t seed);

// The outputs of a serialised model, of which every float is a double; with `everything`, all that it
// computes on the way too.
Result<Values> run(std::string_view bytes, const Values &inputs, bool everything = false);
inline Result<Values> run(const Trial &trial, bool everything = false) {
  return run(trial.model.SerializeAsString(), trial.inputs, everything);
}
// All values of a model in the types that it gives them.
Result<Values> runAsWritten(const Trial &trial);

// What the first output that differs is like; empty if all are the same: of the same names, types and shapes,
// floats within `limit` of the tensor's largest magnitude, everything else equal.
std::string difference(const Values &expected, const Values &got, double limit);

// How far outputs of the same names, types and shapes are apart, as a share of each tensor's largest
// magnitude; no number where one that is no float differs.
double largestShare(const Values &a, const Values &b);

} // namespace tilerig::meaning
