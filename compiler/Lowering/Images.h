// Images between ONNX's order (batch, channels, spatial axes) and the machine's (batch, rows, columns,
// channels).
#pragma once

#include "compiler/Lowering/LayerBuilder.h"

namespace tilerig {

// What an operation on images says about its order.
bool isChannelsLast(mlir::Operation *operation);

// The image that an operation reads, as batch, rows, columns, channels; an image of one spatial axis is a
// row. Refused where it has more than two.
Result<mlir::Value> imageOf(mlir::Value value, bool isChannelsLast, LayerBuilder &to);
// Back, to the shape that the operation gives.
mlir::Value fromImage(mlir::Value image, mlir::Value result, bool isChannelsLast, LayerBuilder &to);

// Attributes of one spatial axis or two, for rows and columns: `fill` is what a row of its own has.
Ints forImage(Sizes perAxis, int64_t fill);
Ints padsForImage(Sizes pads);

// From channels in front to channels behind: the order of axes, and back.
Ints channelsBehind(size_t rank);
Ints channelsInFront(size_t rank);

} // namespace tilerig
