// The same model in double: every float32 tensor, declaration and cast becomes a float64 one.
//
// What passes and interpreters compute is then exact enough to see whether two models mean the same, without
// the noise of rounding to float. Constants that stand for irrational numbers, as the root of two in GELU,
// are given all digits: rounded to float they would be other numbers than the ones that fused operators
// compute with.
#pragma once

#include "isa/Support/Error.h"

#include <onnx/onnx_pb.h>

namespace tilerig::test {

// `folder` is where external data lie; may be empty if there are none. Attributes that are floats stay, as
// ONNX has no others. Refuses quantised operators, whose scales ONNX wants in float32.
Status widen(onnx::ModelProto &model, const std::string &folder);

} // namespace tilerig::test
