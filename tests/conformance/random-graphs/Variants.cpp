#include "tests/conformance/random-graphs/Variants.h"

#include "tests/support/Random.h"

#include <mlir/Pass/PassRegistry.h>

namespace tilerig::meaning {

namespace {

// The passes that Passes.td declares, as "flag:anchor flag:anchor ...": of each its command-line flag and the
// operation on which MLIR runs it. CMake defines the macro.
constexpr llvm::StringLiteral declared = TILERIG_GRAPH_PASSES;

std::vector<PassName> without(std::vector<PassName> passes, size_t index) {
  passes.erase(passes.begin() + static_cast<ptrdiff_t>(index));
  return passes;
}

void addOwnPipeline(std::vector<Variant> &variants) {
  for (const char *pipeline : {"simplify-graph", "lower-to-layers"})
    if (mlir::PassPipelineInfo::lookup(pipeline))
      variants.push_back({pipeline, pipeline});
}

} // namespace

std::vector<PassName> graphPasses() {
  std::vector<PassName> passes;
  llvm::SmallVector<llvm::StringRef> items;
  declared.split(items, ' ', -1, false);
  for (llvm::StringRef item : items) {
    const auto [flag, anchor] = item.split(':');
    passes.push_back({flag.str(), anchor.str()});
  }
  passes.push_back({"cse", "func.func"});
  passes.push_back({"canonicalize", "func.func"});
  return passes;
}

std::string pipelineOf(const std::vector<PassName> &passes) {
  std::string pipeline;
  for (const PassName &pass : passes) {
    pipeline += pipeline.empty() ? "" : ",";
    pipeline += pass.anchor.empty() ? pass.flag : pass.anchor + "(" + pass.flag + ")";
  }
  return pipeline;
}

std::vector<Variant> variantsOf(const std::vector<PassName> &passes, unsigned shuffles, uint64_t seed) {
  std::vector<Variant> variants = {{"no pass", ""}};
  for (const PassName &pass : passes)
    variants.push_back({pass.flag + " alone", pipelineOf({pass})});
  variants.push_back({"all passes", pipelineOf(passes)});
  for (size_t i = 0; i < passes.size(); ++i)
    variants.push_back({"all but " + passes[i].flag, pipelineOf(without(passes, i))});
  test::Random random(seed);
  for (unsigned i = 0; i < shuffles; ++i) {
    std::vector<PassName> order = passes;
    random.shuffle(order);
    variants.push_back({"shuffled", pipelineOf(order)});
  }
  addOwnPipeline(variants);
  return variants;
}

std::vector<Variant> fewVariantsOf(const std::vector<PassName> &passes) {
  std::vector<Variant> variants = {{"no pass", ""}, {"all passes", pipelineOf(passes)}};
  addOwnPipeline(variants);
  return variants;
}

} // namespace tilerig::meaning
