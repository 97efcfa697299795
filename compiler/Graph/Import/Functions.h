// Inlines the model-local functions of an ONNX model.
#pragma once

#include "isa/Base/Support/Error.h"

#include <onnx/onnx_pb.h>
#include <string>

namespace tilerig::compiler {

// Replaces every function call by the function's nodes, named after the call, also inside functions and
// subgraphs. Refuses recursive functions, and functions that use another version of an operator set than the
// model.
Status unfoldFunctions(onnx::ModelProto &model, const std::string &place);

} // namespace tilerig::compiler
