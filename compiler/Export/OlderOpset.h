// Rewrites an exported model to an older operator set, for tools that do not support newer ones.
#pragma once

#include <onnx/onnx_pb.h>

namespace tilerig::compiler {

// Rewrites the model to operator set 17 (IR version 8), which most tools read, if that set has all operators
// of the model, in the form in which the model uses them. Otherwise the model stays unchanged.
void useOlderOpset(onnx::ModelProto &model);

} // namespace tilerig::compiler
