// Operations that access elements by index: gather, scatter, sort and count.
#ifndef TILERIG_GRAPH_INDEXING
#define TILERIG_GRAPH_INDEXING

include "compiler/Graph/IR/GraphBase.td"

// Negative indices count from the end of their axis.
def Graph_IndexTensor : StaticShapeTensorOf<[I32, I64]>;
def Graph_Index64Tensor : StaticShapeTensorOf<[I64]>;

class Graph_Indexing<string mnemonic, string onnxType, dag operands> : Graph_InferredOp<mnemonic, onnxType> {
  let arguments = operands;
  let results = (outs Graph_Tensor:$output);
}

def Graph_GatherElementsOp : Graph_Indexing<"gather_elements", "GatherElements",
    (ins Graph_Tensor:$input, Graph_IndexTensor:$indices, I64Attr:$axis)> {
  let summary = "picks one element per index, along one axis";
}
def Graph_GatherNDOp : Graph_Indexing<"gather_nd", "GatherND",
    (ins Graph_Tensor:$input, Graph_Index64Tensor:$indices, I64Attr:$batchDims)> {
  let summary = "picks elements or slices by index tuples, which lie along the innermost axis of the indices";
}

def Graph_ScatterReduction : I32EnumAttr<"ScatterReduction", "how an update is combined with the element at its index", [
    I32EnumAttrCase<"none", 0>, I32EnumAttrCase<"add", 1>, I32EnumAttrCase<"mul", 2>, I32EnumAttrCase<"max", 3>,
    I32EnumAttrCase<"min", 4>]> {
  let cppNamespace = "::tilerig::compiler::graph";
}
def Graph_ScatterElementsOp : Graph_Indexing<"scatter_elements", "ScatterElements",
    (ins Graph_Tensor:$input, Graph_IndexTensor:$indices, Graph_Tensor:$updates, I64Attr:$axis,
         Graph_ScatterReduction:$reduction)> {
  let summary = "copy of the input in which single elements, named by indices along one axis, are updated";
}
def Graph_ScatterNDOp : Graph_Indexing<"scatter_nd", "ScatterND",
    (ins Graph_Tensor:$input, Graph_Index64Tensor:$indices, Graph_Tensor:$updates,
         Graph_ScatterReduction:$reduction)> {
  let summary = "copy of the input in which elements or slices, named by index tuples, are updated";
}

def Graph_OneHotOp : Graph_Indexing<"one_hot", "OneHot",
    (ins Graph_Tensor:$indices, Graph_Tensor:$values, I64Attr:$depth, I64Attr:$axis)> {
  let summary = "one-hot encoding with values = [off, on]; `axis` is the position of the new axis, of size depth";
}
def Graph_CumSumOp : Graph_Indexing<"cum_sum", "CumSum",
    (ins Graph_Tensor:$input, I64Attr:$axis, UnitAttr:$exclusive, UnitAttr:$reverse)> {
  let summary = "cumulative sum along an axis";
}
def Graph_TriluOp : Graph_Indexing<"trilu", "Trilu", (ins Graph_Tensor:$input, I64Attr:$diagonal, UnitAttr:$upper)> {
  let summary = "upper or lower triangular part of matrices, relative to a diagonal; all other elements become 0";
}
def Graph_ReverseSequenceOp : Graph_Indexing<"reverse_sequence", "ReverseSequence",
    (ins Graph_Tensor:$input, Graph_Index64Tensor:$lengths, I64Attr:$timeAxis, I64Attr:$batchAxis)> {
  let summary = "reverses the first elements of each sequence of a batch; lengths states how many";
}

def Graph_TopKOp : Graph_InferredOp<"top_k", "TopK"> {
  let summary = "the k largest or smallest elements along an axis, with their indices";
  let arguments = (ins Graph_Tensor:$input, I64Attr:$k, I64Attr:$axis, UnitAttr:$largest, UnitAttr:$isSorted);
  let results = (outs Graph_Tensor:$values, Graph_Index64Tensor:$indices);
}

#endif // TILERIG_GRAPH_INDEXING
