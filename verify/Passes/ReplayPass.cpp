#include "verify/Passes/ReplayPass.h"

#include "compiler/Pipelines/ReplayPass.h"
#include "isa/Base/Tensor/TensorFiles.h"
#include "verify/Passes/JudgePasses.h"
#include "verify/Passes/PassRecord.h"

#include <filesystem>

namespace tilerig::verify {

Result<Json> replayRecord(const std::string &path, const std::string &inputs,
                          const compiler::PassRequests &passes, reference::Threads &threads) {
  const std::string file =
      inputs.empty() ? (std::filesystem::path(path).parent_path() / "inputs.npz").string() : inputs;
  ReferenceRunner runner(threads);
  compiler::PassCheckOptions options;
  options.runner = &runner;
  TILERIG_TRY(options.original, readTensors(file));
  TILERIG_TRY(const compiler::PassCheckResult result, compiler::replayPass(path, passes, options));
  return passRecord(result, "");
}

} // namespace tilerig::verify
