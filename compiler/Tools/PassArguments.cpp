#include "compiler/Tools/PassArguments.h"

namespace tilerig::compiler {

void declarePassOptions(CommandOptions &options, PassRequests &requests) {
  const auto inGroup = [](CommandOption option) { return option.group("Passes of the compiler"); };
  inGroup(options.addOption("--passes", requests.pipeline,
                            "run these passes over the graph instead of the usual ones, as "
                            "\"func.func(fold-constants,fold-batch-norm)\""));
  inGroup(options
              .addOption("--without", requests.without,
                         "leave these passes out of the usual ones, as fuse-functions,fold-batch-norm")
              .delimiter(',')
              .oneValueEach());
  inGroup(
      options
          .addOption("--insert-pass", requests.inserted,
                     "insert a pass, as 'my-pass{option=1}@after=fuse-silu' or @before=fuse-silu (default "
                     "place: when the graph is simplified); may be given several times")
          .oneValueEach());
  inGroup(options
              .addOption(
                  "--load-pass-plugin", requests.plugins,
                  "load passes from a shared library (MLIR's plugin interface); may be given several times")
              .oneValueEach());
}

} // namespace tilerig::compiler
