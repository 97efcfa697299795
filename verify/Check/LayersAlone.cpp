#include "verify/Check/LayersAlone.h"

#include "compiler/Tile/Emit/AssembleProgram.h"
#include "verify/Check/CompileStep.h"

namespace tilerig::verify {

Result<LayersAlone> layersAlone(const CompiledModel &model, const CompileOptions &options) {
  if (!model.deviceOps)
    return internalError(
        "running each layer alone",
        "the compilation did not keep the device operations, from which programs are generated");
  compiler::ProgramOptions alone = options.program;
  alone.apart = true;
  TILERIG_TRY(compiler::GeneratedProgram generated,
              compiler::generateProgram(*model.deviceOps, options.machine, alone));
  return LayersAlone{std::move(generated.program), std::move(generated.stageLayers)};
}

} // namespace tilerig::verify
