// Result types of operators of ONNX Runtime (domain com.microsoft) in the forms that have no operations in the
// dialect: such a node runs in the framework, and models do not declare the types of its results.
#pragma once

#include "compiler/Graph/Import/HostTypes.h"

namespace tilerig::compiler {

// QLinearAdd and QLinearMul.
Result<HostTypes> quantisedBinaryTypes(const NodeReader &node);
// QLinearSigmoid.
Result<HostTypes> quantisedUnaryTypes(const NodeReader &node);
// QLinearConcat.
Result<HostTypes> quantisedConcatTypes(const NodeReader &node);
// QLinearAveragePool and QLinearGlobalAveragePool.
Result<HostTypes> quantisedPoolTypes(const NodeReader &node);
Result<HostTypes> quantisedGlobalPoolTypes(const NodeReader &node);
// QGemm.
Result<HostTypes> quantisedGemmTypes(const NodeReader &node);
// MatMulNBits.
Result<HostTypes> blockProductTypes(const NodeReader &node);

} // namespace tilerig::compiler
