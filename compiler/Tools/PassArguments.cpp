#include "compiler/Tools/PassArguments.h"

namespace tilerig::compiler {

void declarePassOptions(CommandOptions &options, PassRequests &requests) {
  const auto inGroup = [](CommandOption option) { return option.group("Passes of the compiler"); };
  inGroup(options.addOption("--passes", requests.pipeline,
                            "run these passes over the graph instead of the usual ones, such as "
                            "\"func.func(fold-constants,fold-batch-norm)\""));
  inGroup(options
              .addOption("--without", requests.without,
                         "leave out these passes, such as fuse-functions,fold-batch-norm")
              .delimiter(',')
              .oneValueEach());
  inGroup(
      options
          .addOption(
              "--only", requests.only,
              "where layers may run: accelerator (there only), or host (on the accelerator, or by kernels of "
              "the host); operations that neither can run are refused (default: such operations run in the "
              "framework)")
          .oneOf({"accelerator", "host"}));
  inGroup(options
              .addOption(
                  "--insert-pass", requests.inserted,
                  "insert a pass, such as 'my-pass{option=1}@after=fuse-silu' or @before=fuse-silu (default "
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
          "print the module's text before these passes, such as fuse-silu,form-layers, to standard error; "
          "large constants are elided");
  addList("--mlir-print-ir-after", debugging.printAfter, "print the module's text after these passes");
  inGroup(options.addFlag("--mlir-print-ir-before-all", debugging.printsBeforeAll,
                          "print the module's text before every pass"));
  inGroup(options.addFlag("--mlir-print-ir-after-all", debugging.printsAfterAll,
                          "print the module's text after every pass"));
  inGroup(
      options.addFlag("--mlir-print-ir-after-change", debugging.printsOnlyChanges,
                      "print the module's text after every pass that has changed the module, or only after "
                      "those of --mlir-print-ir-after"));
  inGroup(options.addOption(
      "--mlir-print-ir-tree-dir", debugging.treeFolder,
      "write the texts of the options --mlir-print-ir-... to files in this folder instead of standard error, "
      "with a folder for each phase of the pipeline"));
  inGroup(options.addFlag("--mlir-timing", debugging.printsTiming,
                          "print the time of each pass, and of the steps around them, to standard error"));
  inGroup(options.addFlag("--mlir-pass-statistics", debugging.printsStatistics,
                          "print how often each pass ran, and how many rewrites it made, to standard error"));
  inGroup(options.addOption(
      "--mlir-pass-pipeline-crash-reproducer", debugging.reproducer,
      "if a pass fails or crashes, write the module and the passes of the pipeline's phase to this file, "
      "for tilerig-opt --run-reproducer"));
  inGroup(options.addFlag("--verify-each", debugging.verifiesEach,
                          "verify the module after each pass instead of after each phase of the pipeline; "
                          "development builds always do"));
  addList(
      "--remarks", debugging.remarks,
      "print remarks of passes, one line each, to standard error: applied (rewrites), missed (rewrites that "
      "were not made, and why), analysis (such as where a layer runs); or several, as in missed,analysis")
      .oneOf({"applied", "missed", "analysis"});
  inGroup(
      options.addOption("--remarks-filter", debugging.remarksFilter,
                        "print only the remarks of passes whose name matches this regular expression, such "
                        "as 'fuse-.*'"));
}

} // namespace tilerig::compiler
