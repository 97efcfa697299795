// The passes of the compiler: see Passes.td.
#pragma once

#include "compiler/Dialect/Graph/Graph.h"
#include "compiler/Dialect/Layer/Layer.h"

#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Pass/Pass.h>
#include <mlir/Pass/PassRegistry.h>

namespace tilerig::compiler {

#define GEN_PASS_DECL
#include "compiler/Passes/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "compiler/Passes/Passes.h.inc"

} // namespace tilerig::compiler
