// Reductions over axes, and the indices of extreme values.
#ifndef TILERIG_GRAPH_REDUCTION
#define TILERIG_GRAPH_REDUCTION

include "compiler/Dialect/Graph/GraphBase.td"

class Graph_Reduction<string mnemonic, string onnxType> : Graph_InferredOp<mnemonic, onnxType> {
  let arguments = (ins Graph_Tensor:$input, DenseI64ArrayAttr:$axes, UnitAttr:$keepdims);
  let results = (outs Graph_Tensor:$output);
}
def Graph_ReduceL1Op : Graph_Reduction<"reduce_l1", "ReduceL1">;
def Graph_ReduceL2Op : Graph_Reduction<"reduce_l2", "ReduceL2">;
def Graph_ReduceLogSumOp : Graph_Reduction<"reduce_log_sum", "ReduceLogSum">;
def Graph_ReduceLogSumExpOp : Graph_Reduction<"reduce_log_sum_exp", "ReduceLogSumExp">;
def Graph_ReduceMaxOp : Graph_Reduction<"reduce_max", "ReduceMax">;
def Graph_ReduceMeanOp : Graph_Reduction<"reduce_mean", "ReduceMean">;
def Graph_ReduceMinOp : Graph_Reduction<"reduce_min", "ReduceMin">;
def Graph_ReduceProdOp : Graph_Reduction<"reduce_prod", "ReduceProd">;
def Graph_ReduceSumOp : Graph_Reduction<"reduce_sum", "ReduceSum">;
def Graph_ReduceSumSquareOp : Graph_Reduction<"reduce_sum_square", "ReduceSumSquare">;

class Graph_ArgExtreme<string mnemonic, string onnxType> : Graph_InferredOp<mnemonic, onnxType> {
  let arguments = (ins Graph_Tensor:$input, I64Attr:$axis, UnitAttr:$keepdims, UnitAttr:$lastIndex);
  let results = (outs Graph_Tensor:$output);
}
def Graph_ArgMaxOp : Graph_ArgExtreme<"arg_max", "ArgMax">;
def Graph_ArgMinOp : Graph_ArgExtreme<"arg_min", "ArgMin">;

#endif // TILERIG_GRAPH_REDUCTION
