// When a result is what a case wants, by the tolerance of ONNX's own runner.
#pragma once

#include "isa/Tensor/Tensor.h"

namespace tilerig::conformance {

// The cases keep bfloat16 as uint16; the model tells what the bits mean.
Tensor asMeant(const Tensor &stored, DType meant);

// Says what differs.
Status compare(const std::string &name, const Tensor &got, const Tensor &stored);

} // namespace tilerig::conformance
