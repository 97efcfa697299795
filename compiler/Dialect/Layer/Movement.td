// Layers that move elements without changing their values.
#ifndef TILERIG_LAYER_MOVEMENT
#define TILERIG_LAYER_MOVEMENT

include "compiler/Dialect/Layer/LayerBase.td"

class Layer_Movement<string mnemonic, dag operands> : Layer_Op<mnemonic> {
  let arguments = operands;
  let results = (outs Layer_Tensor:$output);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Layer_ReshapeOp : Layer_Movement<"reshape", (ins Layer_Tensor:$input)> {
  let hasFolder = 1;
}
def Layer_TransposeOp : Layer_Movement<"transpose", (ins Layer_Tensor:$input, DenseI64ArrayAttr:$perm)> {
  let hasFolder = 1;
}
def Layer_ExpandOp : Layer_Movement<"expand", (ins Layer_Tensor:$input)> {
  let summary = "axes of one element become longer; the rank stays";
}
def Layer_ConcatOp : Layer_Movement<"concat", (ins Variadic<Layer_Tensor>:$inputs, I64Attr:$axis)>;
def Layer_SliceOp : Layer_Movement<"slice",
    (ins Layer_Tensor:$input, DenseI64ArrayAttr:$starts, DenseI64ArrayAttr:$steps)> {
  let summary = "from each axis: where it starts, and the step, which may be negative; the result says how many";
}
def Layer_PadOp : Layer_Movement<"pad", (ins Layer_Tensor:$input, DenseI64ArrayAttr:$pads, F32Attr:$value)> {
  let summary = "in front of all axes, then behind all; none negative; the value as the real that it stands for";
}
def Layer_GatherOp : Layer_Movement<"gather", (ins Layer_Tensor:$input, Layer_Tensor:$indices, I64Attr:$axis)>;

#endif // TILERIG_LAYER_MOVEMENT
