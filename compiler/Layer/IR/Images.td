// Layers on images with the axes batch, rows, columns, channels: pooling and resizing.
#ifndef TILERIG_LAYER_IMAGES
#define TILERIG_LAYER_IMAGES

include "compiler/Layer/IR/LayerBase.td"

def Layer_PoolOp : Layer_Finished<"pool", (ins Layer_Tensor:$input),
    (ins Layer_PoolKind:$kind, DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations,
         DenseI64ArrayAttr:$pads)> {
  let summary = "pooling; pads: top, left, bottom, right; windows ignore positions outside the padded image";
  let assemblyFormat = "`` $kind $input (`then` $function^)? attr-dict `:` functional-type(operands, results)";
}

def Layer_ResizeOp : Layer_Finished<"resize", (ins Layer_Tensor:$input),
    (ins Layer_ResizeKind:$kind, DenseI64ArrayAttr:$rows, DenseI64ArrayAttr:$columns, F32Attr:$cubicCoefficient)> {
  let summary = "resizes an image; rows, columns: numerator, denominator, offset that map result to input positions";
  let assemblyFormat = "`` $kind $input (`then` $function^)? attr-dict `:` functional-type(operands, results)";
}

def Layer_DilateOp : Layer_Op<"dilate"> {
  let summary = "inserts zeros between rows and columns, so that a transposed convolution becomes an ordinary one";
  let arguments = (ins Layer_Tensor:$input, DenseI64ArrayAttr:$steps);
  let results = (outs Layer_Tensor:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

#endif // TILERIG_LAYER_IMAGES
