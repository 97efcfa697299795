// Judges a wrong pass again, in a new process, from its reproducer (the module that the check wrote to show
// the error).
#pragma once

#include "compiler/Pipelines/PassRequests.h"
#include "reference/Run/Threads.h"
#include "verify/Records/Record.h"

namespace tilerig::verify {

// Runs the reproducer (an MLIR module) in a file and returns its record (PassRecord.h). `inputs` is the file
// with the arguments of the module; if empty, inputs.npz beside the module.
Result<Json> replayRecord(const std::string &path, const std::string &inputs,
                          const compiler::PassRequests &passes, reference::Threads &threads);

} // namespace tilerig::verify
