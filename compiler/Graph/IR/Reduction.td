// Reductions over axes, and the indices of extreme values.
#ifndef TILERIG_GRAPH_REDUCTION
#define TILERIG_GRAPH_REDUCTION

include "compiler/Graph/IR/GraphBase.td"

class Graph_Reduction<string mnemonic, string onnxType> : Graph_InferredOp<mnemonic, onnxType> {
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$axes, UnitAttr:$keepdims);
  let results = (outs Graph_Tensor:$output);
}
def Graph_ReduceL1Op : Graph_Reduction<"reduce_l1", "ReduceL1"> { let summary = "sum of absolute values over axes"; }
def Graph_ReduceL2Op : Graph_Reduction<"reduce_l2", "ReduceL2"> {
  let summary = "square root of the sum of squares over axes";
}
def Graph_ReduceLogSumOp : Graph_Reduction<"reduce_log_sum", "ReduceLogSum"> {
  let summary = "logarithm of the sum over axes";
}
def Graph_ReduceLogSumExpOp : Graph_Reduction<"reduce_log_sum_exp", "ReduceLogSumExp"> {
  let summary = "logarithm of the sum of exponentials over axes";
}
def Graph_ReduceMaxOp : Graph_Reduction<"reduce_max", "ReduceMax"> { let summary = "maximum over axes"; }
def Graph_ReduceMeanOp : Graph_Reduction<"reduce_mean", "ReduceMean"> { let summary = "mean over axes"; }
def Graph_ReduceMinOp : Graph_Reduction<"reduce_min", "ReduceMin"> { let summary = "minimum over axes"; }
def Graph_ReduceProdOp : Graph_Reduction<"reduce_prod", "ReduceProd"> { let summary = "product over axes"; }
def Graph_ReduceSumOp : Graph_Reduction<"reduce_sum", "ReduceSum"> { let summary = "sum over axes"; }
def Graph_ReduceSumSquareOp : Graph_Reduction<"reduce_sum_square", "ReduceSumSquare"> {
  let summary = "sum of squares over axes";
}

class Graph_ArgExtreme<string mnemonic, string onnxType> : Graph_InferredOp<mnemonic, onnxType> {
  let arguments = (ins Graph_Tensor:$input, I64Attr:$axis, UnitAttr:$keepdims, UnitAttr:$lastIndex);
  let onnxNames = [Graph_OnnxName<"lastIndex", "select_last_index">];
  let results = (outs Graph_Tensor:$output);
}
def Graph_ArgMaxOp : Graph_ArgExtreme<"arg_max", "ArgMax"> {
  let summary = "index of the maximum along an axis; among equal ones the first, or with lastIndex the last";
}
def Graph_ArgMinOp : Graph_ArgExtreme<"arg_min", "ArgMin"> {
  let summary = "index of the minimum along an axis; among equal ones the first, or with lastIndex the last";
}

#endif // TILERIG_GRAPH_REDUCTION
