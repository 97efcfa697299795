// `tilerig compile`: an ONNX model, lowered as far as asked.
#include "compiler/Deciding/ApplyPrecision.h"
#include "compiler/Dialect/Graph/Origins.h"
#include "compiler/Export/Export.h"
#include "compiler/Import/Import.h"
#include "compiler/Passes/Passes.h"
#include "isa/Support/File.h"
#include "isa/Tools/CommandLine.h"

#include <charconv>
#include <fmt/core.h>
#include <llvm/Support/raw_ostream.h>
#include <mlir/IR/AsmState.h>
#include <mlir/Pass/PassManager.h>
#include <mlir/Transforms/Passes.h>

namespace tilerig {

namespace {

enum class Emit { graph, onnx };

struct CompileArguments {
  std::string model, output, passes;
  Emit emit = Emit::graph;
  std::vector<std::string> inputShapes; // NAME=1x3x224x224
  PrecisionOptions precision;
};

Result<ImportOptions> importOptions(const CompileArguments &arguments) {
  ImportOptions options;
  for (const std::string &text : arguments.inputShapes) {
    const size_t equals = text.rfind('=');
    Shape shape;
    const char *at = text.data() + equals + 1, *const end = text.data() + text.size();
    for (bool more = equals != std::string::npos && equals > 0; more;) {
      int64_t size = 0;
      const auto [next, error] = std::from_chars(at, end, size);
      if (error != std::errc() || size < 1 || (next != end && (*next != 'x' || next + 1 == end)))
        return usageError("--input-shape", fmt::format("'{}' is not NAME=1x3x224x224", text));
      shape.push_back(size);
      more = next != end;
      at = next + 1;
    }
    if (shape.empty())
      return usageError("--input-shape", fmt::format("'{}' is not NAME=1x3x224x224", text));
    options.inputShapes[text.substr(0, equals)] = shape;
  }
  return options;
}

// What the user asks for by name, as tilerig-opt takes it. A pass that gives up says why, at a node.
Status runPasses(mlir::ModuleOp module, const std::string &model, const std::string &pipeline) {
  registerPasses();
  mlir::registerTransformsPasses();
  std::string said;
  mlir::ScopedDiagnosticHandler handler(module.getContext(), [&](mlir::Diagnostic &diagnostic) {
    const std::string node = graph::nodeName(diagnostic.getLocation());
    said += fmt::format("{}{}{}", said.empty() ? "" : "; ",
                        node.empty() ? "" : fmt::format("node '{}': ", node), diagnostic.str());
  });
  llvm::raw_string_ostream stream(said);
  mlir::PassManager manager(module.getContext());
  if (mlir::failed(mlir::parsePassPipeline(pipeline, manager, stream)))
    return usageError("--passes", said.substr(0, said.find('\n')), "tilerig-opt --help lists the passes");
  if (mlir::failed(manager.run(module)))
    return unsupported(model, said);
  return success();
}

std::string print(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  mlir::OpPrintingFlags flags;
  flags.enableDebugInfo(true, false);
  module.print(stream, flags);
  return text + "\n";
}

Result<ExitCode> compile(const CompileArguments &arguments) {
  TRY(const ImportOptions options, importOptions(arguments));
  TRY(const OnnxFile file, OnnxFile::read(arguments.model));
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  TRY(mlir::OwningOpRef<mlir::ModuleOp> module, importModel(context, file, options));
  CHECK_OK(runPasses(*module, arguments.model, arguments.passes));
  if (!arguments.precision.precision.empty()) {
    TRY(const std::string said, applyPrecision(*module, arguments.precision));
    if (!said.empty())
      fmt::print("{}\n", said);
    CHECK_OK(runPasses(*module, arguments.model, "canonicalize,cse"));
  }
  if (arguments.emit == Emit::graph) {
    CHECK_OK(writeText(arguments.output, print(*module)));
    return ExitCode::done;
  }
  CHECK_OK(exportModel(*module, arguments.output));
  return ExitCode::done;
}

} // namespace

} // namespace tilerig

int main(int argc, char **argv) {
  using namespace tilerig;
  CommandLine line(command("compile"),
                   "tilerig compile model.onnx --emit graph -o model.mlir\n"
                   "tilerig compile model.onnx --input-shape x=1x3x224x224 --emit onnx -o "
                   "plain.onnx");
  CompileArguments arguments;
  CLI::App &options = line.options();
  options.add_option("MODEL", arguments.model, "the model (.onnx)")->required();
  options.add_option("-o,--output", arguments.output, "where to write the result")->required();
  options.add_option("--emit", arguments.emit, "how far to go: graph or onnx")
      ->required()
      ->transform(
          CLI::CheckedTransformer(std::map<std::string, Emit>{{"graph", Emit::graph}, {"onnx", Emit::onnx}}));
  options.add_option("--passes", arguments.passes,
                     "passes to run on the graph, as \"func.func(fold-constants,fold-batch-norm)\"");
  options.add_option("--input-shape", arguments.inputShapes, "NAME=1x3x224x224: the shape of an input");
  arguments.precision.precision.clear();
  options.add_option("--precision", arguments.precision.precision,
                     "fp32, fp16, bf16, int8, uint8 or a file with one for each layer");
  options.add_option("--calibration", arguments.precision.calibration,
                     "samples (.npz, or a folder of them) or a saved table (.json)");
  options.add_option("--calibration-table", arguments.precision.tableFile,
                     "where to save the table of the calibration (.json)");
  return line.run(argc, argv, [&] { return compile(arguments); });
}
