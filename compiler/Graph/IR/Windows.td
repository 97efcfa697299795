// Convolutions and pooling of images. The axes are batch, channels, and one to three spatial axes; with
// `channelsLast`: batch, spatial axes, and channels.
#ifndef TILERIG_GRAPH_WINDOWS
#define TILERIG_GRAPH_WINDOWS

include "compiler/Graph/IR/GraphBase.td"

// Described in graph.conv.
defvar windowAttributes = (ins DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$dilations, DenseI64ArrayAttr:$pads);

def Graph_ConvOp : Graph_InferredOp<"conv", "Conv"> {
  let onnxNames = [Graph_OnnxName<"groups", "group">];
  let summary = "convolution; axes of the weights: outputs, channels of a group, kernel";
  let description = [{
    `strides` and `dilations` have one number for each spatial axis. `pads` has the padding before each spatial axis, then
    the padding after each; so have the other operations with windows.

    ```mlir
    %y = graph.conv %x, %w, %b {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>,
                                strides = array<i64: 2, 2>}
           : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> tensor<1x4x4x4xf32>
    ```
  }];
  let arguments = !con((ins Graph_FloatTensor:$input, Graph_FloatTensor:$weights,
                            Optional<Graph_FloatTensor>:$bias, I64Attr:$groups), windowAttributes,
                       (ins UnitAttr:$channelsLast));
  let results = (outs Graph_FloatTensor:$output);
}

def Graph_ConvTransposeOp : Graph_InferredOp<"conv_transpose", "ConvTranspose"> {
  let onnxNames = [Graph_OnnxName<"groups", "group">];
  let summary = "transposed convolution; axes of the weights: channels, outputs of a group, kernel";
  let arguments = !con((ins Graph_FloatTensor:$input, Graph_FloatTensor:$weights,
                            Optional<Graph_FloatTensor>:$bias, I64Attr:$groups), windowAttributes,
                       (ins DenseI64ArrayAttr:$outputPadding, UnitAttr:$channelsLast));
  let results = (outs Graph_FloatTensor:$output);
}

class Graph_Pool<string mnemonic, string onnxType, dag more> : Graph_InferredOp<mnemonic, onnxType> {
  let arguments = !con((ins Graph_Tensor:$input, DenseI64ArrayAttr:$kernel), windowAttributes,
                       (ins UnitAttr:$ceilMode), more, (ins UnitAttr:$channelsLast));
  let onnxNames = [Graph_OnnxName<"kernel", "kernel_shape">];
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
