// Normalisations and softmax of the dialect `graph`.
#ifndef TILERIG_GRAPH_NORMALISATION
#define TILERIG_GRAPH_NORMALISATION

include "compiler/Graph/IR/GraphBase.td"

// A normalisation; its result has the type of its first operand. With `channelsLast`, the last axis is the axis
// of channels, else axis 1.
class Graph_Normalisation<string mnemonic, string onnxType, dag operands>
    : Graph_Op<mnemonic, onnxType, [AllTypesMatch<["input", "output"]>]> {
  let arguments = !con((ins Graph_FloatTensor:$input), operands);
  let results = (outs Graph_FloatTensor:$output);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def Graph_BatchNormOp : Graph_Normalisation<"batch_norm", "BatchNormalization",
    (ins Graph_FloatTensor:$scale, Graph_FloatTensor:$bias, Graph_FloatTensor:$mean, Graph_FloatTensor:$variance,
         F32Attr:$epsilon, UnitAttr:$channelsLast)> {
  let summary = "normalises each channel by a given mean and variance, then scales and shifts it";
}
def Graph_InstanceNormOp : Graph_Normalisation<"instance_norm", "InstanceNormalization",
    (ins Graph_FloatTensor:$scale, Graph_FloatTensor:$bias, F32Attr:$epsilon, UnitAttr:$channelsLast)> {
  let summary = "normalises each channel of each image by its own mean and variance, then scales and shifts it";
}
def Graph_GroupNormOp : Graph_Normalisation<"group_norm", "GroupNormalization",
    (ins Graph_FloatTensor:$scale, Graph_FloatTensor:$bias, F32Attr:$epsilon, I64Attr:$groups,
         UnitAttr:$channelsLast)> {
  let onnxNames = [Graph_OnnxName<"groups", "num_groups">];
  let summary = "normalises groups of channels by their own mean and variance, then scales and shifts each channel";
}
def Graph_LayerNormOp : Graph_Normalisation<"layer_norm", "LayerNormalization",
    (ins Graph_FloatTensor:$scale, Optional<Graph_FloatTensor>:$bias, F32Attr:$epsilon, I64Attr:$axis)> {
  let summary = "normalises over all axes from the given one on, then scales and shifts";
}
def Graph_LrnOp : Graph_Normalisation<"lrn", "LRN",
    (ins F32Attr:$alpha, F32Attr:$beta, F32Attr:$bias, I64Attr:$size, UnitAttr:$channelsLast)> {
  let summary = "local response normalisation: divides by a power of the sum of squares over neighbouring channels";
}
def Graph_LpNormalizationOp : Graph_Normalisation<"lp_normalization", "LpNormalization",
    (ins I64Attr:$axis, I64Attr:$p)> {
  let summary = "divides by the L1 or L2 norm along an axis";
}
def Graph_SoftmaxOp : Graph_Normalisation<"softmax", "Softmax", (ins I64Attr:$axis)> {
  let summary = "softmax along one axis";
}
def Graph_LogSoftmaxOp : Graph_Normalisation<"log_softmax", "LogSoftmax", (ins I64Attr:$axis)> {
  let summary = "logarithm of the softmax along one axis";
}
def Graph_HardmaxOp : Graph_Normalisation<"hardmax", "Hardmax", (ins I64Attr:$axis)> {
  let summary = "1 for the first maximum along an axis, 0 for all other elements";
}

#endif // TILERIG_GRAPH_NORMALISATION
