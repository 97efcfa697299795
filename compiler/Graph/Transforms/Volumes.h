// Shared code of the pass flatten-volumes: batches of volumes, with the axes batch, channels, depth, rows and columns, as
// batches of images.
#pragma once

#include "compiler/Graph/IR/Origins.h"
#include "compiler/Graph/IR/Shapes.h"

#include <mlir/IR/PatternMatch.h>

namespace tilerig::compiler {

// Whether a value is a batch of volumes: it has the axes batch, channels, depth, rows and columns.
inline bool isVolume(mlir::Value value) { return graph::shapeOf(value).size() == 5; }

// Creates the operations that replace an operation on volumes. Only the result of the last one gets the name
// of a tensor of the model.
class VolumeBuilder {
public:
  VolumeBuilder(mlir::PatternRewriter &rewriter, mlir::Operation *operation)
      : rewriter(rewriter), operation(operation), location(graph::withTensor(operation->getLoc(), {})) {}

  mlir::Value reshape(mlir::Value value, graph::Dims shape) {
    const auto type = mlir::RankedTensorType::get(shape, graph::tensorType(value).getElementType());
    return graph::ReshapeOp::create(rewriter, location, type, value);
  }
  // From batch, channels, depth, rows, columns to batch, depth, rows, columns, channels. All operations that replace
  // one on volumes have this order, so transposes between them cancel.
  mlir::Value channelsLast(mlir::Value value) {
    return graph::TransposeOp::create(rewriter, location, value, graph::Dims{0, 2, 3, 4, 1});
  }
  mlir::Value padDepth(mlir::Value value, int64_t before, int64_t after) {
    if (before == 0 && after == 0)
      return value;
    return graph::PadOp::create(rewriter, location, value, mlir::Value(),
                                graph::Dims{0, before, 0, 0, 0, 0, after, 0, 0, 0}, graph::PadMode::constant);
  }
  // Slices axis 1, which is the depth: takes `count` images, at the depths first, first + step, first + 2
  // step, …
  mlir::Value images(mlir::Value value, int64_t first, int64_t step, int64_t count) {
    graph::Dims starts(5, 0), ends(graph::shapeOf(value)), steps(5, 1);
    starts[1] = first;
    ends[1] = first + (count - 1) * step + 1;
    steps[1] = step;
    if (starts[1] == 0 && step == 1 && ends[1] == graph::shapeOf(value)[1])
      return value;
    return graph::SliceOp::create(rewriter, location, value, starts, ends, steps);
  }
  // Merges axis 1, the depth, into the batch axis, so that the image at each depth becomes an element of the
  // batch.
  mlir::Value joinBatch(mlir::Value value) {
    const auto shape = graph::shapeOf(value);
    return reshape(value, {shape[0] * shape[1], shape[2], shape[3], shape[4]});
  }
  mlir::Value splitBatch(mlir::Value value, int64_t depth) {
    const auto shape = graph::shapeOf(value);
    return reshape(value, {shape[0] / depth, depth, shape[1], shape[2], shape[3]});
  }
  // Replaces the operation by `value`, whose channels come last.
  void finish(mlir::Value value) {
    rewriter.replaceOpWithNewOp<graph::TransposeOp>(operation, value, graph::Dims{0, 4, 1, 2, 3});
  }

  mlir::PatternRewriter &rewriter;
  mlir::Operation *operation;
  mlir::Location location;
};

// The strides, dilations and pads along rows and columns: all of them except those along the depth.
inline graph::Dims ofImages(llvm::ArrayRef<int64_t> numbers) { return graph::Dims(numbers.drop_front()); }
inline graph::Dims padsOfImages(llvm::ArrayRef<int64_t> pads) { return {pads[1], pads[2], pads[4], pads[5]}; }

// Adds the patterns for pools.
void addVolumePools(mlir::RewritePatternSet &patterns);

} // namespace tilerig::compiler
