// Layers that move or repeat elements without changing their values.
#ifndef TILERIG_LAYER_MOVEMENT
#define TILERIG_LAYER_MOVEMENT

include "compiler/Layer/IR/LayerBase.td"

class Layer_Movement<string mnemonic, dag operands> : Layer_Op<mnemonic> {
  let arguments = operands;
  let results = (outs Layer_Tensor:$output);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Layer_ReshapeOp : Layer_Movement<"reshape", (ins Layer_Tensor:$input)> {
  let summary = "reshapes a tensor: the same elements in another shape";
  let hasFolder = 1;
}
def Layer_TransposeOp : Layer_Movement<"transpose", (ins Layer_Tensor:$input, DenseI64ArrayAttr:$perm)> {
  let summary = "permutes axes: axis i of the result is axis perm[i] of the input";
  let hasFolder = 1;
}
def Layer_ExpandOp : Layer_Movement<"expand", (ins Layer_Tensor:$input)> {
  let summary = "broadcasts axes of size 1 to a larger size, without adding axes";
}
def Layer_ConcatOp : Layer_Movement<"concat", (ins Variadic<Layer_Tensor>:$inputs, I64Attr:$axis)> {
  let summary = "joins tensors along an axis";
}
def Layer_SliceOp : Layer_Movement<"slice",
    (ins Layer_Tensor:$input, DenseI64ArrayAttr:$starts, DenseI64ArrayAttr:$steps)> {
  let summary = "slices each axis from a start on, with a step that may be negative; counts: the result's shape";
  let description = [{
    ```mlir
    %y = layer.slice %x {starts = array<i64: 0, 5>, steps = array<i64: 1, -2>} : (tensor<2x6xf32>) -> tensor<2x3xf32>
    ```
  }];
}
def Layer_PadOp : Layer_Movement<"pad", (ins Layer_Tensor:$input, DenseI64ArrayAttr:$pads, F32Attr:$value)> {
  let summary = "adds elements around a tensor; pads: before each axis, then after each; value: as a real number";
  let description = [{
    ```mlir
    %y = layer.pad %x {pads = array<i64: 1, 0, 1, 0>, value = 0.0 : f32} : (tensor<2x3xf32>) -> tensor<4x3xf32>
    ```
  }];
}
def Layer_GatherOp : Layer_Movement<"gather", (ins Layer_Tensor:$input, Layer_Tensor:$indices, I64Attr:$axis)> {
  let summary = "picks slices along an axis by their indices";
  let description = [{
    The axes of the indices, which are i32, replace the axis in the result.

    ```mlir
    %y = layer.gather %x, %i {axis = 0 : i64} : (tensor<2x3xf32>, tensor<4x5xi32>) -> tensor<4x5x3xf32>
    ```
  }];
}

#endif // TILERIG_LAYER_MOVEMENT
