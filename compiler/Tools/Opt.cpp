// `tilerig-opt`: MLIR's standard pass driver with our dialects and passes, for tests and debugging.
#include "compiler/Passes/PassPlugins.h"
#include "compiler/Passes/Passes.h"
#include "compiler/Pipelines/Pipelines.h"
#include "compiler/Tile/IR/Tile.h"

#include <filesystem>
#include <llvm/Support/raw_ostream.h>
#include <mlir/Tools/mlir-opt/MlirOptMain.h>
#include <mlir/Transforms/Passes.h>

namespace {

using namespace tilerig;

constexpr llvm::StringLiteral pluginOption = "load-pass-plugin";

// Checks the plugins that the command line names, because MLIR's driver ignores a plugin that it cannot load.
// Makes their paths absolute, because the dynamic linker does not look for a name without a slash in the
// current folder.
Status checkPlugins(std::vector<std::string> &words) {
  for (size_t i = 1; i < words.size(); ++i) {
    const auto [option, value] = llvm::StringRef(words[i]).split('=');
    if (option.ltrim('-') != pluginOption)
      continue;
    const bool isNextWord = value.empty() && i + 1 < words.size();
    const std::string path = isNextWord ? words[i + 1] : value.str();
    TILERIG_CHECK_OK(compiler::checkPlugin(path));
    const std::string absolute = std::filesystem::absolute(path);
    words[isNextWord ? ++i : i] = isNextWord ? absolute : ("--" + pluginOption + "=" + absolute).str();
  }
  return success();
}

} // namespace

int main(int argc, char **argv) {
  std::vector<std::string> words(argv, argv + argc);
  if (const Status status = checkPlugins(words); !status) {
    llvm::errs() << "error: " << status.error().message() << '\n';
    return static_cast<int>(exitCodeOf(status.error().kind));
  }
  std::vector<char *> pointers;
  for (std::string &word : words)
    pointers.push_back(word.data());
  pointers.push_back(nullptr);
  mlir::DialectRegistry registry;
  registry.insert<tilerig::compiler::graph::GraphDialect, tilerig::compiler::layer::LayerDialect,
                  tilerig::compiler::isa::IsaDialect, tilerig::compiler::tile::TileDialect,
                  mlir::func::FuncDialect, mlir::quant::QuantDialect>();
  mlir::registerTransformsPasses();
  tilerig::compiler::registerPasses();
  tilerig::compiler::registerPipelines();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, pointers.data(), "tilerig optimiser driver\n", registry));
}
