// Checks the user's options about passes, and converts them to options of the compiler's pipeline.
#pragma once

#include "compiler/Pipelines/PassRequests.h"
#include "compiler/Pipelines/Pipelines.h"

namespace tilerig::compiler {

// Registers the passes of MLIR and of this compiler with MLIR, so that textual pipelines can name them.
void registerAllPasses();
// Loads pass plugins from these shared libraries. Registers their passes, and all passes of the compiler.
Status loadPlugins(const std::vector<std::string> &paths);
// Loads the plugins that the user requests, checks all names of passes, and returns the pipeline's options.
Result<PipelineOptions> resolvePasses(const PassRequests &requests);

} // namespace tilerig::compiler
