// Runs an ONNX model on the reference with given inputs, and compares its outputs with those of another run.
#pragma once

#include "isa/Base/Support/Error.h"
#include "isa/Base/Tensor/Tensor.h"

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

// Random inputs of the types and shapes that the model declares: floats uniform in [-1, 1), integers and
// bools 0 or 1. An error if an input has no fixed shape.
Result<Values> makeInputs(const onnx::ModelProto &model, uint64_t seed);

// The outputs of a serialised model, computed in double. If `everything` is true, also all intermediate
// tensors.
Result<Values> run(std::string_view bytes, const Values &inputs, bool everything = false);
inline Result<Values> run(const Trial &trial, bool everything = false) {
  return run(trial.model.SerializeAsString(), trial.inputs, everything);
}
// All tensors that a model computes, in the types that it declares (the reference runs in fp32).
Result<Values> runAsWritten(const Trial &trial);

// Describes the first output that differs; empty if all agree. Outputs agree if their names, types and shapes
// are the same, floats differ by at most `limit` times the tensor's largest magnitude, and other types are
// equal.
std::string difference(const Values &expected, const Values &got, double limit);

// The largest difference between outputs of the same names, types and shapes, relative to the largest
// magnitude of each tensor of `a`; infinite if a tensor of another type than float differs.
double largestShare(const Values &a, const Values &b);

} // namespace tilerig::meaning
