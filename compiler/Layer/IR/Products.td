// Sums of products (convolutions and matrix products), which the POD (matrix engine) computes.
#ifndef TILERIG_LAYER_PRODUCTS
#define TILERIG_LAYER_PRODUCTS

include "compiler/Layer/IR/LayerBase.td"

// A sum of products and its epilogue: addend and function (see the description of `layer.conv`).
class Layer_Product<string mnemonic, dag operands, dag attributes>
    : Layer_Op<mnemonic, [AttrSizedOperandSegments]> {
  let arguments = !con(operands, (ins Layer_OptionalTensor:$bias, Layer_OptionalTensor:$addend), attributes,
                       (ins OptionalAttr<Layer_Function>:$function, UnitAttr:$functionFirst,
                            OptionalAttr<TypeAttr>:$middle));
  let results = (outs Layer_Tensor:$output);
}

def Layer_ConvOp : Layer_Product<"conv", (ins Layer_Tensor:$input, Layer_Tensor:$weights),
    (ins I64Attr:$groups, DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations, DenseI64ArrayAttr:$pads)> {
  let summary = "convolution; input N H W C, weights O KH KW C/groups, result N OH OW O; pads: top, left, bottom, right";
  let description = [{
    The accumulator starts at the bias. The epilogue adds the addend and then applies the function, or does so in the
    other order with `functionFirst`.

    - Float operands: the epilogue works in fp32, and the result is rounded once at the end.
    - Quantised operands: the accumulator is requantised to the type `middle` (if absent: the type of the result). The
      addend is added to the dequantised integer, and the sum is quantised to the type of the result. A table applies the
      function to integers: with `functionFirst` to the requantised accumulator, else to the quantised sum. If the result
      is i32, it is the accumulator itself.

    ```mlir
    %y = layer.conv %x, %w bias %b addend %r then <relu>
           {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>}
           : (tensor<1x8x8x3xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>, tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32>
    ```
  }];
  let assemblyFormat = [{
    $input `,` $weights (`bias` $bias^)? (`addend` $addend^)? (`then` $function^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

def Layer_MatMulOp : Layer_Product<"matmul", (ins Layer_Tensor:$a, Layer_Tensor:$b), (ins UnitAttr:$transposedB)> {
  let summary = "matrix product of a (… M K) and b (… N K; transposedB: … K N), result … M N; leading axes broadcast";
  let description = [{
    The epilogue is that of `layer.conv`.

    ```mlir
    %y = layer.matmul %a, %w bias %b then <tanh> : (tensor<2x8xf32>, tensor<4x8xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    ```
  }];
  let assemblyFormat = [{
    $a `,` $b (`bias` $bias^)? (`addend` $addend^)? (`then` $function^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

#endif // TILERIG_LAYER_PRODUCTS
