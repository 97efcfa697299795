// Command line options of all commands that run the compiler's passes.
#pragma once

#include "compiler/Pipelines/PassRequests.h"
#include "isa/Base/CommandLine/CommandOptions.h"

namespace tilerig::compiler {

void declarePassOptions(CommandOptions &options, PassRequests &requests);
// Declares the options for debugging passes, such as --mlir-print-ir-after, under the names that MLIR uses.
void declarePassDebugging(CommandOptions &options, PassDebugging &debugging);

} // namespace tilerig::compiler
