// Takes the final decision whether each layer runs on the host or on the accelerator: as the strategy file
// asks, else where the layer is cheaper. Then forms the regions (consecutive layers in one place) again.
#pragma once

#include "compiler/Planning/Strategy/StrategyFile.h"
#include "isa/Base/Support/Error.h"
#include "isa/Machine/Machine.h"

#include <mlir/IR/BuiltinOps.h>
#include <string>

namespace tilerig::compiler {

// The module must be at level `layer`, with its precision decided and its layers in regions. `model`: file
// name for errors.
Status settlePlaces(mlir::ModuleOp module, const std::string &model, const Machine &machine,
                    const StrategyFile &strategy);

} // namespace tilerig::compiler
