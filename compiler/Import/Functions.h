// Functions that a model brings with it.
#pragma once

#include "isa/Support/Error.h"

#include <onnx/onnx_pb.h>
#include <string>

namespace tilerig {

// Every call becomes the function's nodes, named after the call; calls inside functions and graphs too.
// Refuses functions that call themselves and those of other operator sets than the model's.
Status unfoldFunctions(onnx::ModelProto &model, const std::string &place);

} // namespace tilerig
