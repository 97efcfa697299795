// Layers on images with the axes batch, rows, columns, channels: pooling and resizing.
#ifndef TILERIG_LAYER_IMAGES
#define TILERIG_LAYER_IMAGES

include "compiler/Layer/IR/LayerBase.td"

def Layer_PoolOp : Layer_Finished<"pool", (ins Layer_Tensor:$input),
    (ins Layer_PoolKind:$kind, DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations,
         DenseI64ArrayAttr:$pads)> {
  let summary = "pooling; pads: top, left, bottom, right; windows ignore positions outside the padded image";
  let description = [{
    ```mlir
    %y = layer.pool max %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>,
                            pads = array<i64: 0, 0, 0, 0>} : (tensor<1x4x4x2xf32>) -> tensor<1x2x2x2xf32>
    ```
  }];
  let assemblyFormat = "`` $kind $input (`then` $function^)? attr-dict `:` functional-type(operands, results)";
}

def Layer_ResizeOp : Layer_Finished<"resize", (ins Layer_Tensor:$input),
    (ins Layer_ResizeKind:$kind, DenseI64ArrayAttr:$rows, DenseI64ArrayAttr:$columns, F32Attr:$cubicCoefficient)> {
  let summary = "resizes an image; rows, columns: numerator, denominator, offset that map result to input positions";
  let description = [{
    Row i of the result is computed from the rows around (i * numerator + offset) / denominator of the input, and so
    are columns. `cubicCoefficient` is used by the kind cubic only.

    ```mlir
    %y = layer.resize linear %x {rows = array<i64: 1, 2, 0>, columns = array<i64: 1, 1, 0>, cubicCoefficient = 0.0 : f32}
           : (tensor<1x6x6x2xf32>) -> tensor<1x12x6x2xf32>
    ```
  }];
  let assemblyFormat = "`` $kind $input (`then` $function^)? attr-dict `:` functional-type(operands, results)";
}

def Layer_DilateOp : Layer_Op<"dilate"> {
  let summary = "inserts zeros between rows and columns, so that a transposed convolution becomes an ordinary one";
  let description = [{
    ```mlir
    %y = layer.dilate %x {steps = array<i64: 2, 3>} : (tensor<1x6x6x2xf32>) -> tensor<1x11x16x2xf32>
    ```
  }];
  let arguments = (ins Layer_Tensor:$input, DenseI64ArrayAttr:$steps);
  let results = (outs Layer_Tensor:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

#endif // TILERIG_LAYER_IMAGES
