// Operations that move elements without changing their values.
#ifndef TILERIG_GRAPH_MOVEMENT
#define TILERIG_GRAPH_MOVEMENT

include "compiler/Graph/IR/GraphBase.td"

class Graph_Movement<string mnemonic, string onnxType, dag operands> : Graph_InferredOp<mnemonic, onnxType> {
  let arguments = operands;
  let results = (outs Graph_Tensor:$output);
}

def Graph_ReshapeOp : Graph_Op<"reshape", "Reshape"> {
  let summary = "the same elements in another shape; stands for Reshape, Flatten, Squeeze and Unsqueeze of ONNX";
  let arguments = (ins Graph_Tensor:$input);
  let results = (outs Graph_Tensor:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Graph_TransposeOp : Graph_Movement<"transpose", "Transpose", (ins Graph_Tensor:$input, DenseI64ArrayAttr:$perm)> {
  let summary = "permutes axes: axis i of the result is axis perm[i] of the input";
  let hasFolder = 1;
}
def Graph_ConcatOp : Graph_Movement<"concat", "Concat", (ins Variadic<Graph_Tensor>:$inputs, I64Attr:$axis)> {
  let summary = "joins tensors along an axis";
}
def Graph_SliceOp : Graph_Movement<"slice", "Slice",
    (ins Graph_Tensor:$input, DenseI64ArrayAttr:$starts, DenseI64ArrayAttr:$ends, DenseI64ArrayAttr:$steps)> {
  let summary = "every steps[i]-th element from starts[i] up to, excluding, ends[i], for each axis i";
}
def Graph_ExpandOp : Graph_Op<"expand", "Expand"> {
  let summary = "broadcasts a tensor to a larger shape";
  let arguments = (ins Graph_Tensor:$input);
  let results = (outs Graph_Tensor:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
def Graph_TileOp : Graph_Movement<"tile", "Tile", (ins Graph_Tensor:$input, DenseI64ArrayAttr:$repeats)> {
  let summary = "repeats a tensor along each axis";
}
def Graph_GatherOp : Graph_Movement<"gather", "Gather", (ins Graph_Tensor:$input, Graph_Tensor:$indices, I64Attr:$axis)> {
  let summary = "picks slices along an axis by their indices";
}
def Graph_DepthToSpaceOp : Graph_Movement<"depth_to_space", "DepthToSpace",
    (ins Graph_Tensor:$input, I64Attr:$blockSize, UnitAttr:$columnsFirst, UnitAttr:$channelsLast)> {
  let summary = "moves channels into square blocks of pixels; columnsFirst: ONNX's mode CRD";
}
def Graph_SpaceToDepthOp : Graph_Movement<"space_to_depth", "SpaceToDepth",
    (ins Graph_Tensor:$input, I64Attr:$blockSize, UnitAttr:$channelsLast)> {
  let onnxNames = [Graph_OnnxName<"blockSize", "blocksize">];
  let summary = "moves square blocks of pixels into channels";
}

def Graph_PadMode : I32EnumAttr<"PadMode", "how the values of padding elements are chosen", [
    I32EnumAttrCase<"constant", 0>, I32EnumAttrCase<"reflect", 1>, I32EnumAttrCase<"edge", 2>,
    I32EnumAttrCase<"wrap", 3>]> {
  let cppNamespace = "::tilerig::compiler::graph";
}
def Graph_PadOp : Graph_Movement<"pad", "Pad",
    (ins Graph_Tensor:$input, Graph_OptionalTensor:$value, DenseI64ArrayAttr:$pads, Graph_PadMode:$mode)> {
  let summary = "adds elements around a tensor; pads: how many before each axis, then after each; a negative number removes elements";
}

#endif // TILERIG_GRAPH_MOVEMENT
