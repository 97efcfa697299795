// All operations of the dialect `layer`; each family has its own file.
#ifndef TILERIG_LAYER_OPS
#define TILERIG_LAYER_OPS

include "compiler/Layer/IR/Elementwise.td"
include "compiler/Layer/IR/Images.td"
include "compiler/Layer/IR/Movement.td"
include "compiler/Layer/IR/Products.td"
include "compiler/Layer/IR/Rows.td"

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
