// The options of commands that run the passes of the compiler.
#pragma once

#include "compiler/Pipelines/PassRequests.h"
#include "isa/Base/CommandLine/CommandOptions.h"

namespace tilerig::compiler {

void declarePassOptions(CommandOptions &options, PassRequests &requests);
// The options for looking at passes while they run, in MLIR's words.
void declarePassDebugging(CommandOptions &options, PassDebugging &debugging);

} // namespace tilerig::compiler
