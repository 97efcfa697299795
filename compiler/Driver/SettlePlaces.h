// The last word on where layers run: what a strategy file asks for, else what is cheaper. Regions follow.
#pragma once

#include "compiler/Strategy/StrategyFile.h"
#include "isa/Machine/Machine.h"
#include "isa/Support/Error.h"

#include <mlir/IR/BuiltinOps.h>
#include <string>

namespace tilerig {

// The module is at level layer, its precision decided and its layers in regions. `model`: for errors.
Status settlePlaces(mlir::ModuleOp module, const std::string &model, const Machine &machine,
                    const StrategyFile &strategy);

} // namespace tilerig
