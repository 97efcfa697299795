// The pass `partition-layers`: groups layers into few regions that alternate between accelerator and host,
// sorts the layers by region and annotates each with its region.
//
// Each region takes every layer that does not depend on a later region, so that the accelerator gets few
// large subgraphs and independent host operators are called together.
#pragma once

#include <memory>
#include <mlir/Pass/Pass.h>

namespace tilerig::compiler {

std::unique_ptr<mlir::Pass> createPartitionLayers();

} // namespace tilerig::compiler
