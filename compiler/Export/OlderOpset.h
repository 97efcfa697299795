// Models for tools that know no newer operator set.
#pragma once

#include <onnx/onnx_pb.h>

namespace tilerig {

// A written model in operator set 17 (IR version 8) instead, which most tools read, where that has all of its
// operators as they are used; as it is otherwise.
void useOlderOpset(onnx::ModelProto &model);

} // namespace tilerig
