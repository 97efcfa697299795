// Converts an ONNX model to double or to a 16-bit type: every float32 tensor, declaration and cast becomes one
// of that type.
//
// Results in double are exact enough to decide whether two models mean the same, without the noise of rounding to
// float. Constants that stand for irrational numbers, such as the root of two in GELU, get all digits of a
// double: rounded to float, they would differ from the constants that fused operators use.
#pragma once

#include "isa/Base/Support/Error.h"
#include "isa/Base/Tensor/DType.h"

#include <onnx/onnx_pb.h>

namespace tilerig::test {

// Converts `model` in place. `folder` holds its external data; `folder` may be empty if there are none. Float
// attributes stay, because ONNX has no double attributes. Refuses quantised operators, whose scales ONNX
// requires in float32.
Status widen(onnx::ModelProto &model, const std::string &folder);
// Converts `model` in place to `type`, which is float16 or bfloat16.
Status narrow(onnx::ModelProto &model, const std::string &folder, DType type);

} // namespace tilerig::test
