// Layers whose results depend on many elements: reductions, softmax and normalisations.
#ifndef TILERIG_LAYER_ROWS
#define TILERIG_LAYER_ROWS

include "compiler/Layer/IR/LayerBase.td"

def Layer_ReduceOp : Layer_Finished<"reduce", (ins Layer_Tensor:$input),
    (ins Layer_ReduceKind:$kind, DenseI64ArrayAttr:$axes, UnitAttr:$lastIndex)> {
  let summary = "reduction over axes, which stay with size 1; the result of arg_max and arg_min is an i32 index";
  let description = [{
    ```mlir
    %y = layer.reduce mean %x then <sqrt> {axes = array<i64: 1, 2>} : (tensor<2x3x4xf32>) -> tensor<2x1x1xf32>
    ```
  }];
  let assemblyFormat = "`` $kind $input (`then` $function^)? attr-dict `:` functional-type(operands, results)";
}

def Layer_SoftmaxOp : Layer_Finished<"softmax", (ins Layer_Tensor:$input), (ins I64Attr:$axis, UnitAttr:$logarithm)> {
  let summary = "softmax along an axis, or its logarithm";
  let assemblyFormat = "$input (`then` $function^)? attr-dict `:` functional-type(operands, results)";
}

def Layer_NormalizeOp : Layer_Finished<"normalize",
    (ins Layer_Tensor:$input, Layer_OptionalTensor:$gain, Layer_OptionalTensor:$shift),
    (ins Layer_NormalizeKind:$kind, DenseI64ArrayAttr:$axes, F32Attr:$epsilon), [AttrSizedOperandSegments]> {
  let summary = "normalises over all given axes together, then applies gain and shift, which broadcast to the input";
  let description = [{
    The kind mean_variance subtracts the mean and divides by the standard deviation; rms divides by the root mean square.

    ```mlir
    %y = layer.normalize rms %x gain %g {axes = array<i64: 2>, epsilon = 1.0e-5 : f32}
           : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
    ```
  }];
  let assemblyFormat = [{
    `` $kind $input (`gain` $gain^)? (`shift` $shift^)? (`then` $function^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

#endif // TILERIG_LAYER_ROWS
