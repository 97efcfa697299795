// Checks a pass again on its reproducer, the module that showed that the pass is wrong
// (PassCheck/Reproduce.h).
//
// This header does not include MLIR, so callers do not depend on MLIR.
#pragma once

#include "compiler/PassCheck/PassCheck.h"
#include "compiler/Pipelines/PassRequests.h"

namespace tilerig::compiler {

// Reads the reproducer file at `path`, runs the pipeline that it states on its module, and checks the passes
// of the pipeline. `options.original` has the tensors for the module's arguments. `requests` may name plugins
// to load.
Result<PassCheckResult> replayPass(const std::string &path, const PassRequests &requests,
                                   const PassCheckOptions &options);

} // namespace tilerig::compiler
