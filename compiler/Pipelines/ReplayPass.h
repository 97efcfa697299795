// Judges a pass again on the module that shows that it is wrong (PassCheck/Reproduce.h).
//
// This header does not include MLIR, so callers do not depend on it.
#pragma once

#include "compiler/PassCheck/PassCheck.h"
#include "compiler/Pipelines/PassRequests.h"

namespace tilerig::compiler {

// Runs the pipeline that the text at `path` states in its comment, on the module, and judges its passes.
// `options.original`: the tensors for the arguments of the module. Of `requests`, only plugins are used.
Result<PassCheckResult> replayPass(const std::string &path, const PassRequests &requests,
                                   const PassCheckOptions &options);

} // namespace tilerig::compiler
