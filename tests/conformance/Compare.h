// Compares a result with the expected output of an ONNX test case, with the tolerances of ONNX's own runner.
#pragma once

#include "isa/Base/Tensor/Tensor.h"

namespace tilerig::conformance {

// Converts an expected output to the type that the model declares: ONNX's test data stores bfloat16 as
// uint16.
Tensor asMeant(const Tensor &stored, DType meant);

// An error that names the first difference between the result `got` and the expected output `stored`.
Status compare(const std::string &name, const Tensor &got, const Tensor &stored);

} // namespace tilerig::conformance
