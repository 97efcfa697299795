// Imports an ONNX model and lowers it to layers. On request, injects a bug into a pass and checks the results
// of each pass.
#pragma once

#include "compiler/Inject/Passes/InjectIntoPass.h"
#include "compiler/PassCheck/PassWatch.h"
#include "compiler/Pipelines/CompileNetwork.h"
#include "compiler/Pipelines/RunPasses.h"

namespace tilerig::compiler {

class NetworkLowering {
public:
  NetworkLowering(mlir::MLIRContext &context, const OnnxFile &file, const NetworkOptions &options,
                  const PipelineOptions &pipeline, std::vector<std::string> tooLarge)
      : context(context), observers(context), file(file), options(options), pipeline(pipeline),
        tooLarge(std::move(tooLarge)) {}

  // Returns the module of layers, in which the precision and the place (accelerator or host) of each layer is
  // decided. Also stores in `network` the layers in float arithmetic, the results of the pass check, and the
  // injected bug.
  Result<mlir::OwningOpRef<mlir::ModuleOp>> run(CompiledNetwork &network);
  // Runs the passes that the user inserted behind lower-to-tile (ProgramPasses.h), on the program of the
  // network.
  Status runOnProgram(const TileLevel &level, CompiledNetwork &network);

private:
  using Module = mlir::OwningOpRef<mlir::ModuleOp>;

  Result<Module> lower(CompiledNetwork &network);
  Result<Module> formLayers(PassBugInjector *injector, bool isJudged);
  Status decideTypes(mlir::ModuleOp module, PassBugInjector *injector, CompiledNetwork &network);
  PreparePasses follow(PassBugInjector *injector);

  Result<Module> runWithBug(CompiledNetwork &network);

  mlir::MLIRContext &context;
  RewriteObservers observers;
  const OnnxFile &file;
  const NetworkOptions &options;
  const PipelineOptions &pipeline;
  const std::vector<std::string> tooLarge; // as for ImportOptions
  std::unique_ptr<PassWatch> watch;        // the pass check; null if passes are not checked
};

} // namespace tilerig::compiler
