// Judges the pass of a reproducer again, in a new process.
#pragma once

#include "compiler/Pipelines/PassRequests.h"
#include "reference/Run/Threads.h"
#include "verify/Records/Record.h"

namespace tilerig::verify {

// The record of passes (PassRecord.h) for the module at `path`. `inputs`: file with the tensors for its
// arguments; empty: inputs.npz beside the module.
Result<Json> replayRecord(const std::string &path, const std::string &inputs,
                          const compiler::PassRequests &passes, reference::Threads &threads);

} // namespace tilerig::verify
