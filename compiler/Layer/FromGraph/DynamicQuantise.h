// Tensors that are quantised at run time, with a scale and a zero point that follow from their values.
#pragma once

#include "compiler/Layer/FromGraph/Lowerings.h"

namespace tilerig::compiler {

// Lowers DynamicQuantizeLinear, if all readers of its integers can interpret them without their scale.
Lowered quantiseDynamically(graph::DynamicQuantizeLinearOp op, LayerBuilder &to);

// The sums of a product of integers with constant weights, if the integers have a zero point that is known only at run
// time. `sums` are computed without it: its product with the sums of the weights, which are broadcast to `sums`, is
// subtracted.
mlir::Value withoutZeroPoint(mlir::Value sums, mlir::Value zeroPoint, const Tensor &sumsOfWeights,
                             LayerBuilder &to);

// The sums over the columns of a constant matrix of bytes, [depth, outputs], without its constant zero point, which may
// be null.
Tensor sumsOfColumns(mlir::Value matrix, mlir::Value zeroPoint);

// The windows of a convolution of images with rows and columns.
struct ConvolutionWindows {
  std::array<int64_t, 2> image, result;
  Ints strides, dilations, pads;
};
// For each position and output of a convolution, [rows, columns, outputs], the sum of the weights that meet elements of the
// image; or, if the image is not padded, [outputs]. The weights are constant bytes, [outputs, channels, rows, columns].
Tensor sumsOfWindows(mlir::Value weights, mlir::Value zeroPoint, const ConvolutionWindows &windows);

} // namespace tilerig::compiler
