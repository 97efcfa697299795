// Makes the user's requests about passes ready for use.
#pragma once

#include "compiler/Pipelines/PassRequests.h"
#include "compiler/Pipelines/Pipelines.h"

namespace tilerig::compiler {

// Registers the passes of MLIR and of this compiler.
void registerAllPasses();
// Loads the plugins, and checks all names. `pipeline` of the requests is not part of the result.
// Registers the passes of plugins, and all passes of the compiler.
Status loadPlugins(const std::vector<std::string> &paths);
Result<PipelineOptions> resolvePasses(const PassRequests &requests);

} // namespace tilerig::compiler
