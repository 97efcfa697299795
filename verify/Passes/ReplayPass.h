// Judges a wrong pass again, in a new process, from its reproducer (the module that the check wrote to show
// the error).
#pragma once

#include "compiler/Pipelines/PassRequests.h"
#include "reference/Run/Threads.h"
#include "verify/Records/Record.h"

namespace tilerig::verify {

// Returns the record (PassRecord.h) for the reproducer, an MLIR module, at `path`. `inputs` is the file with
// the tensors for the module's arguments; empty: inputs.npz beside the module.
Result<Json> replayRecord(const std::string &path, const std::string &inputs,
                          const compiler::PassRequests &passes, reference::Threads &threads);

} // namespace tilerig::verify
