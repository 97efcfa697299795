// Products of matrices.
#ifndef TILERIG_GRAPH_PRODUCTS
#define TILERIG_GRAPH_PRODUCTS

include "compiler/Dialect/Graph/GraphBase.td"

def Graph_MatMulOp : Graph_InferredOp<"matmul", "MatMul"> {
  let summary = "as numpy.matmul";
  let arguments = (ins Graph_Tensor:$a, Graph_Tensor:$b);
  let results = (outs Graph_Tensor:$output);
}

def Graph_GemmOp : Graph_InferredOp<"gemm", "Gemm"> {
  let summary = "alpha * a * b + beta * c, where a and b may be transposed first";
  let arguments = (ins Graph_Tensor:$a, Graph_Tensor:$b, Graph_OptionalTensor:$c, F32Attr:$alpha, F32Attr:$beta,
                       UnitAttr:$transA, UnitAttr:$transB);
  let results = (outs Graph_Tensor:$output);
}

def Graph_EinsumOp : Graph_InferredOp<"einsum", "Einsum"> {
  let summary = "a letter for each axis, ellipses broadcast; the result's letters are always given";
  let arguments = (ins Variadic<Graph_Tensor>:$inputs, StrAttr:$equation);
  let results = (outs Graph_Tensor:$output);
}

#endif // TILERIG_GRAPH_PRODUCTS
