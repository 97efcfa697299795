// From what `tilerig compile` reads to what it writes.
#pragma once

#include "compiler/Tools/CompileArguments.h"

namespace tilerig {

// An ONNX model, or a text of level graph or layer.
Status compileModel(const CompileArguments &arguments, bool json);
// The text of a program.
Status compileProgram(const CompileArguments &arguments, bool json);

} // namespace tilerig
