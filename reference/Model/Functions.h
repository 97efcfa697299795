// Inlines the functions of an ONNX model (operators that the model itself defines by a graph of other
// operators).
#pragma once

#include "isa/Base/Support/Error.h"

namespace onnx {
class ModelProto;
}

namespace tilerig::reference {

// Replaces every node that calls a function of the model by the function's nodes, with unique names.
// Recursive functions are an error.
Status expandFunctions(onnx::ModelProto &model, const std::string &place);

} // namespace tilerig::reference
