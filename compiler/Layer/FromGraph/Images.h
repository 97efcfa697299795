// Conversion of images between ONNX's axis order (batch, channels, spatial axes) and the machine's (batch,
// rows, columns, channels).
#pragma once

#include "compiler/Layer/IR/LayerBuilder.h"

namespace tilerig::compiler {

// Whether the channels are the last axis of the images that the operation reads and writes.
bool isChannelsLast(mlir::Operation *operation);

// The image that an operation reads, as batch, rows, columns, channels. An image with one spatial axis
// becomes one with a single row. Refuses more than two spatial axes.
Result<mlir::Value> imageOf(mlir::Value value, bool isChannelsLast, LayerBuilder &to);
// Converts an image from the machine's axis order to the shape and axis order that the value `result` of the
// model's operation has.
mlir::Value fromImage(mlir::Value image, mlir::Value result, bool isChannelsLast, LayerBuilder &to);

// An attribute with a value for each spatial axis, such as strides, as values for rows and columns. If there
// is one spatial axis, it becomes the columns, and `fill` is the value for the rows.
Ints forImage(Sizes perAxis, int64_t fill);
Ints padsForImage(Sizes pads);

// Permutations that move the channels from the second axis to the last, and back.
Ints channelsBehind(size_t rank);
Ints channelsInFront(size_t rank);

} // namespace tilerig::compiler
