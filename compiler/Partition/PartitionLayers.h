// `partition-layers`: layers in the order of few regions, accelerator and host in turns; each says which is
// its own.
//
// Every region takes all that waits for no later one, so that the accelerator gets few large subgraphs and
// host operators side by side are called together.
#pragma once

#include <memory>
#include <mlir/Pass/Pass.h>

namespace tilerig {

std::unique_ptr<mlir::Pass> createPartitionLayers();

} // namespace tilerig
