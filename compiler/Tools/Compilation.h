// Runs `tilerig compile`: from the input file to the outputs that were asked for.
#pragma once

#include "compiler/Tools/CompileArguments.h"

namespace tilerig::compiler {

// Compiles an ONNX model, or a text of level graph or layer.
Status compileModel(const CompileArguments &arguments, bool json);
// Compiles a text of level tile or isa, which is a program.
Status compileProgram(const CompileArguments &arguments, bool json);

} // namespace tilerig::compiler
