// Runs `tilerig compile`: reads the input file, compiles it, and writes the requested outputs.
#pragma once

#include "compiler/Tools/CompileArguments.h"

namespace tilerig::compiler {

// Compiles an ONNX model, or an MLIR text of level graph or layer.
Status compileModel(const CompileArguments &arguments, bool json);
// Compiles an MLIR text of level tile or isa, which states a complete program.
Status compileProgram(const CompileArguments &arguments, bool json);

} // namespace tilerig::compiler
