// Convolutions and pooling of images. The axes are batch, channels, and one to three spatial axes; with
// `channelsLast`: batch, spatial axes, and channels.
#ifndef TILERIG_GRAPH_WINDOWS
#define TILERIG_GRAPH_WINDOWS

include "compiler/Graph/IR/GraphBase.td"

// `strides` and `dilations` have one number for each spatial axis. `pads` has the padding before each spatial
// axis, then the padding after each.
defvar windowAttributes = (ins DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations, DenseI64ArrayAttr:$pads);

def Graph_ConvOp : Graph_InferredOp<"conv", "Conv"> {
  let summary = "convolution; axes of the weights: outputs, channels of a group, kernel";
  let arguments = !con((ins Graph_FloatTensor:$input, Graph_FloatTensor:$weights,
                            Optional<Graph_FloatTensor>:$bias, I64Attr:$groups), windowAttributes,
                       (ins UnitAttr:$channelsLast));
  let results = (outs Graph_FloatTensor:$output);
}

def Graph_ConvTransposeOp : Graph_InferredOp<"conv_transpose", "ConvTranspose"> {
  let summary = "transposed convolution; axes of the weights: channels, outputs of a group, kernel";
  let arguments = !con((ins Graph_FloatTensor:$input, Graph_FloatTensor:$weights,
                            Optional<Graph_FloatTensor>:$bias, I64Attr:$groups), windowAttributes,
                       (ins DenseI64ArrayAttr:$outputPadding, UnitAttr:$channelsLast));
  let results = (outs Graph_FloatTensor:$output);
}

class Graph_Pool<string mnemonic, string onnxType, dag more> : Graph_InferredOp<mnemonic, onnxType> {
  let arguments = !con((ins Graph_Tensor:$input, DenseI64ArrayAttr:$kernel), windowAttributes,
                       (ins UnitAttr:$ceilMode), more, (ins UnitAttr:$channelsLast));
  let results = (outs Graph_Tensor:$output);
}
def Graph_MaxPoolOp : Graph_Pool<"max_pool", "MaxPool", (ins)> { let summary = "maximum of each window"; }
def Graph_AveragePoolOp : Graph_Pool<"average_pool", "AveragePool", (ins UnitAttr:$countIncludePad)> {
  let summary = "average of each window; countIncludePad: padding counts as zeros";
}
def Graph_LpPoolOp : Graph_Pool<"lp_pool", "LpPool", (ins I64Attr:$p)> { let summary = "p-norm of each window"; }

class Graph_GlobalPool<string mnemonic, string onnxType, dag more> : Graph_InferredOp<mnemonic, onnxType> {
  let arguments = !con((ins Graph_Tensor:$input), more, (ins UnitAttr:$channelsLast));
  let results = (outs Graph_Tensor:$output);
}
def Graph_GlobalAveragePoolOp : Graph_GlobalPool<"global_average_pool", "GlobalAveragePool", (ins)> {
  let summary = "average of each channel";
}
def Graph_GlobalMaxPoolOp : Graph_GlobalPool<"global_max_pool", "GlobalMaxPool", (ins)> {
  let summary = "maximum of each channel";
}
def Graph_GlobalLpPoolOp : Graph_GlobalPool<"global_lp_pool", "GlobalLpPool", (ins I64Attr:$p)> {
  let summary = "p-norm of each channel";
}

#endif // TILERIG_GRAPH_WINDOWS
