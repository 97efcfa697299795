// All operations of the dialect `layer`; each family has its own file.
#ifndef TILERIG_LAYER_OPS
#define TILERIG_LAYER_OPS

include "compiler/Dialect/Layer/Elementwise.td"
include "compiler/Dialect/Layer/Images.td"
include "compiler/Dialect/Layer/Movement.td"
include "compiler/Dialect/Layer/Products.td"
include "compiler/Dialect/Layer/Rows.td"

def Layer_ConstantOp : Layer_Op<"constant", [ConstantLike]> {
  let summary = "constant tensor; quantised constants store their integers, large values are stored as MLIR resources";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Layer_Tensor:$output);
  let assemblyFormat = "attr-dict $value `as` type($output)";
  let hasFolder = 1;
}

def Layer_HostOp : Layer_Op<"host"> {
  let summary = "an ONNX operator that runs on the host; kernel: the host's implementation of it";
  let arguments = (ins Variadic<Layer_Tensor>:$inputs, StrAttr:$kernel, DictionaryAttr:$parameters,
                       DenseBoolArrayAttr:$present);
  let results = (outs Variadic<Layer_Tensor>:$outputs);
  let assemblyFormat = [{
    $kernel `(` $inputs `)` $parameters `present` $present attr-dict `:` functional-type($inputs, $outputs)
  }];
}

#endif // TILERIG_LAYER_OPS
