#include "compiler/Pipelines/ResolvePasses.h"

#include "compiler/Passes/PassPlugins.h"
#include "compiler/Passes/Passes.h"
#include "compiler/Pipelines/PassInstruments.h"
#include "isa/Base/Support/Nearest.h"

#include <algorithm>
#include <fmt/core.h>
#include <mlir/Transforms/Passes.h>
#include <mutex>

namespace tilerig::compiler {

namespace {

// Refuses options about passes that another option makes ineffective, such as --without in addition to
// --passes.
Status checkTogether(const PassRequests &requests) {
  for (const auto &[option, isGiven] :
       {std::pair{"--without", !requests.without.empty()}, {"--insert-pass", !requests.inserted.empty()}})
    if (isGiven && !requests.pipeline.empty())
      return usageError(
          option, "this option changes the default pipeline of passes, but --passes replaces this pipeline",
          "state all passes in --passes, or leave --passes out");
  if (!requests.plugins.empty() && requests.pipeline.empty() && requests.inserted.empty())
    return usageError("--load-pass-plugin", "this option loads passes, but none of them is run",
                      "add --insert-pass or --passes");
  return success();
}

Status checkWithout(const std::vector<std::string> &names) {
  const std::vector<std::string> known = optionalPasses();
  for (const std::string &name : names)
    if (std::ranges::find(known, name) == known.end())
      return usageError("--without", fmt::format("there is no pass '{}' to leave out", name),
                        suggestion(name, std::vector<std::string_view>(known.begin(), known.end())));
  return success();
}

// Refuses --mlir-print-ir-before and --mlir-print-ir-after for passes that do not run.
Status checkPrinted(const PassRequests &requests) {
  const bool areUsual = requests.pipeline.empty() && requests.inserted.empty();
  const std::vector<std::string> usual = passesOfPipeline();
  for (const auto &[option, names] : {std::pair{"--mlir-print-ir-before", &requests.debugging.printBefore},
                                      {"--mlir-print-ir-after", &requests.debugging.printAfter}})
    for (const std::string &name : *names)
      if (areUsual ? !llvm::is_contained(usual, name) : !mlir::PassInfo::lookup(name))
        return usageError(option, fmt::format("the pipeline has no pass '{}'", name),
                          suggestion(name, std::vector<std::string_view>(usual.begin(), usual.end())));
  return success();
}

} // namespace

void registerAllPasses() {
  static std::once_flag flag;
  std::call_once(flag, [] {
    registerPasses();
    registerPipelines();
    mlir::registerTransformsPasses();
  });
}

Status loadPlugins(const std::vector<std::string> &paths) {
  registerAllPasses();
  for (const std::string &path : paths)
    TILERIG_CHECK_OK(loadPlugin(path));
  return success();
}

Result<PipelineOptions> resolvePasses(const PassRequests &requests) {
  TILERIG_CHECK_OK(checkTogether(requests));
  TILERIG_CHECK_OK(loadPlugins(requests.plugins));
  TILERIG_CHECK_OK(checkWithout(requests.without));
  PipelineOptions options;
  options.graphPasses = requests.pipeline;
  options.without = requests.without;
  options.only = requests.only;
  for (const std::string &text : requests.inserted) {
    TILERIG_TRY(InsertedPass pass, parseInsertedPass(text));
    options.inserted.push_back(std::move(pass));
  }
  TILERIG_CHECK_OK(checkAnchors(options.inserted, anchorsOfPipeline()));
  TILERIG_CHECK_OK(checkPrinted(requests));
  // If the user adds passes, verifies the module after each pass, because those passes may be faulty.
  options.verifiesEach = requests.debugging.verifiesEach || verifiesEachPass() ||
                         !requests.inserted.empty() || !requests.pipeline.empty();
  return options;
}

} // namespace tilerig::compiler
