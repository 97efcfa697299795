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

void declarePassDebugging(CommandOptions &options, PassDebugging &debugging) {
  const auto inGroup = [](CommandOption option) { return option.group("Debugging of passes"); };
  const auto addList = [&](const char *name, std::vector<std::string> &values, const char *help) {
    return inGroup(options.addOption(name, values, help).delimiter(',').oneValueEach());
  };
  addList("--mlir-print-ir-before", debugging.printBefore,
          "print the text of the module before these passes, as fuse-silu,form-layers, to standard error; "
          "large constants are elided");
  addList("--mlir-print-ir-after", debugging.printAfter, "print it after these passes");
  inGroup(
      options.addFlag("--mlir-print-ir-before-all", debugging.printsBeforeAll, "print it before every pass"));
  inGroup(
      options.addFlag("--mlir-print-ir-after-all", debugging.printsAfterAll, "print it after every pass"));
  inGroup(
      options.addFlag("--mlir-print-ir-after-change", debugging.printsOnlyChanges,
                      "print it after every pass, or those of --mlir-print-ir-after, that has changed it"));
  inGroup(options.addOption(
      "--mlir-print-ir-tree-dir", debugging.treeFolder,
      "write what the options --mlir-print-ir-... print to files in this folder instead, with "
      "a folder for each phase of the pipeline"));
  inGroup(options.addFlag("--mlir-timing", debugging.printsTiming,
                          "print the time of each pass, and of the steps around them, to standard error"));
  inGroup(options.addFlag("--mlir-pass-statistics", debugging.printsStatistics,
                          "print how often each pass ran, and how many rewrites it made, to standard error"));
  inGroup(options.addOption(
      "--mlir-pass-pipeline-crash-reproducer", debugging.reproducer,
      "if a pass fails or crashes, write the module and the passes of this phase to this file, "
      "for tilerig-opt --run-reproducer"));
  inGroup(
      options.addFlag("--verify-each", debugging.verifiesEach,
                      "verify the module after each pass instead of after each phase of the pipeline; builds "
                      "for development always do"));
  addList(
      "--remarks", debugging.remarks,
      "print what passes report, one line each, to standard error: applied (rewrites), missed (rewrites that "
      "were not made, and why), analysis (facts, as where a layer runs and why), or several, as missed,analysis")
      .oneOf({"applied", "missed", "analysis"});
  inGroup(options.addOption("--remarks-filter", debugging.remarksFilter,
                            "print only the remarks of passes whose name matches this regular expression, as "
                            "'fuse-.*'"));
}

} // namespace tilerig::compiler
