// Functions of a model: operators that the model itself defines by a graph of other operators.
#pragma once

#include "isa/Support/Error.h"

namespace onnx {
class ModelProto;
}

namespace tilerig::reference {

// Replaces every node that calls a function of the model by the function's nodes, with names made unique.
// Functions that call each other in a circle are refused.
Status expandFunctions(onnx::ModelProto &model, const std::string &place);

} // namespace tilerig::reference
