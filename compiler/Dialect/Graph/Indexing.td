// Operations that access elements by index: gather, scatter, sort and count.
#ifndef TILERIG_GRAPH_INDEXING
#define TILERIG_GRAPH_INDEXING

include "compiler/Dialect/Graph/GraphBase.td"

// Negative indices count from the end of their axis.
def Graph_IndexTensor : StaticShapeTensorOf<[I32, I64]>;
def Graph_Index64Tensor : StaticShapeTensorOf<[I64]>;

class Graph_Indexing<string mnemonic, string onnxType, dag operands> : Graph_InferredOp<mnemonic, onnxType> {
  let arguments = operands;
  let results = (outs Graph_Tensor:$output);
}

def Graph_GatherElementsOp : Graph_Indexing<"gather_elements", "GatherElements",
    (ins Graph_Tensor:$input, Graph_IndexTensor:$indices, I64Attr:$axis)>;
def Graph_GatherNDOp : Graph_Indexing<"gather_nd", "GatherND",
    (ins Graph_Tensor:$input, Graph_Index64Tensor:$indices, I64Attr:$batchDims)>;

def Graph_ScatterReduction : I32EnumAttr<"ScatterReduction", "what becomes of an element that is put on another", [
    I32EnumAttrCase<"none", 0>, I32EnumAttrCase<"add", 1>, I32EnumAttrCase<"mul", 2>, I32EnumAttrCase<"max", 3>,
    I32EnumAttrCase<"min", 4>]> {
  let cppNamespace = "::tilerig::compiler::graph";
}
def Graph_ScatterElementsOp : Graph_Indexing<"scatter_elements", "ScatterElements",
    (ins Graph_Tensor:$input, Graph_IndexTensor:$indices, Graph_Tensor:$updates, I64Attr:$axis,
         Graph_ScatterReduction:$reduction)>;
def Graph_ScatterNDOp : Graph_Indexing<"scatter_nd", "ScatterND",
    (ins Graph_Tensor:$input, Graph_Index64Tensor:$indices, Graph_Tensor:$updates,
         Graph_ScatterReduction:$reduction)>;

def Graph_OneHotOp : Graph_Indexing<"one_hot", "OneHot",
    (ins Graph_Tensor:$indices, Graph_Tensor:$values, I64Attr:$depth, I64Attr:$axis)> {
  let summary = "values are the one for off and the one for on; the axis is the result's";
}
def Graph_CumSumOp : Graph_Indexing<"cum_sum", "CumSum",
    (ins Graph_Tensor:$input, I64Attr:$axis, UnitAttr:$exclusive, UnitAttr:$reverse)>;
def Graph_TriluOp : Graph_Indexing<"trilu", "Trilu", (ins Graph_Tensor:$input, I64Attr:$diagonal, UnitAttr:$upper)> {
  let summary = "zeros below a diagonal, if it is the upper half that stays, or above it";
}
def Graph_ReverseSequenceOp : Graph_Indexing<"reverse_sequence", "ReverseSequence",
    (ins Graph_Tensor:$input, Graph_Index64Tensor:$lengths, I64Attr:$timeAxis, I64Attr:$batchAxis)>;

def Graph_TopKOp : Graph_InferredOp<"top_k", "TopK"> {
  let arguments = (ins Graph_Tensor:$input, I64Attr:$k, I64Attr:$axis, UnitAttr:$largest, UnitAttr:$isSorted);
  let results = (outs Graph_Tensor:$values, Graph_Index64Tensor:$indices);
}

#endif // TILERIG_GRAPH_INDEXING
