// All operations of the dialect `layer`. Each group of similar operations has a file of its own, which this
// file includes.
#ifndef TILERIG_LAYER_OPS
#define TILERIG_LAYER_OPS

include "compiler/Layer/IR/Elementwise.td"
include "compiler/Layer/IR/Images.td"
include "compiler/Layer/IR/Movement.td"
include "compiler/Layer/IR/Products.td"
include "compiler/Layer/IR/Rows.td"

def Layer_ConstantOp : Layer_Op<"constant", [ConstantLike]> {
  let summary = "constant tensor; quantised constants store their integers, large values are stored as MLIR resources";
  let description = [{
    The type of the value has plain integers; the type of the result may be quantised.

    ```mlir
    %w = layer.constant dense<[1, -2]> : tensor<2xi8> as tensor<2x!quant.uniform<i8:f32, 0.5>>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Layer_Tensor:$output);
  let assemblyFormat = "attr-dict $value `as` type($output)";
  let hasFolder = 1;
}

def Layer_HostOp : Layer_Op<"host"> {
  let summary = "an ONNX operator that runs on the host; kernel: the host's implementation of it";
  let description = [{
    `parameters` are the attributes of the ONNX node in canonical form. ONNX nodes can omit optional inputs: `present` has
    one entry per input of the node, true if it is given.

    ```mlir
    %values, %indices = layer.host "TopK"(%x, %k) {axis = 1 : i64, largest = 1 : i64, sorted = 1 : i64} present [true, true]
                          : (tensor<2x4xf32>, tensor<1xi64>) -> (tensor<2x2xf32>, tensor<2x2xi64>)
    ```
  }];
  let arguments = (ins Variadic<Layer_Tensor>:$inputs, StrAttr:$kernel, DictionaryAttr:$parameters,
                       DenseBoolArrayAttr:$present);
  let results = (outs Variadic<Layer_Tensor>:$outputs);
  let assemblyFormat = [{
    $kernel `(` $inputs `)` $parameters `present` $present attr-dict `:` functional-type($inputs, $outputs)
  }];
}

#endif // TILERIG_LAYER_OPS
