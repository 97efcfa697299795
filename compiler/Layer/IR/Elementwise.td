// Elementwise layers of the dialect `layer`.
#ifndef TILERIG_LAYER_ELEMENTWISE
#define TILERIG_LAYER_ELEMENTWISE

include "compiler/Layer/IR/LayerBase.td"

def Layer_ActivateOp : Layer_Finished<"activate", (ins Layer_Tensor:$input), (ins)> {
  let summary = "applies a function to each element; without a function, only converts the element type";
  let description = [{
    ```mlir
    %y = layer.activate by <clip 0.0, 6.0> %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %h = layer.activate %y : (tensor<2x3xf32>) -> tensor<2x3xf16>
    ```
  }];
  let assemblyFormat = "(`by` $function^)? $input attr-dict `:` functional-type(operands, results)";
}

def Layer_BinaryOp : Layer_Finished<"binary", (ins Layer_Tensor:$a, Layer_Tensor:$b), (ins Layer_BinaryKind:$kind)> {
  let summary = "combines two operands element by element, with numpy's broadcasting";
  let description = [{
    `kind` is a function of two arguments of the instruction set, such as add, mul, max or less.

    ```mlir
    %y = layer.binary add %a, %b then <relu> : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    ```
  }];
  let assemblyFormat = "`` $kind $a `,` $b (`then` $function^)? attr-dict `:` functional-type(operands, results)";
}

def Layer_SelectOp : Layer_Finished<"select", (ins Layer_Tensor:$condition, Layer_Tensor:$a, Layer_Tensor:$b), (ins)> {
  let summary = "a where the condition is true, b elsewhere, with numpy's broadcasting";
  let assemblyFormat = "operands (`then` $function^)? attr-dict `:` functional-type(operands, results)";
}

#endif // TILERIG_LAYER_ELEMENTWISE
