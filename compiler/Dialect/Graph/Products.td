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

def Graph_AttentionOp : Graph_InferredOp<"attention", ""> {
  let summary = "softmax(scale * q * k^T + mask) * v over the last axis; ONNX says it in a chain of operators";
  let description = [{
    Queries, keys and values are matrices of rows, [.., M, D], [.., N, D] and [.., N, E]; what is in front broadcasts,
    and the mask broadcasts to [.., M, N].
  }];
  let arguments = (ins Graph_FloatTensor:$q, Graph_FloatTensor:$k, Graph_FloatTensor:$v,
                       Optional<Graph_FloatTensor>:$mask, F64Attr:$scale);
  let results = (outs Graph_FloatTensor:$output);
}

def Graph_EinsumOp : Graph_InferredOp<"einsum", "Einsum"> {
  let summary = "a letter for each axis, ellipses broadcast; the result's letters are always given";
  let arguments = (ins Variadic<Graph_Tensor>:$inputs, StrAttr:$equation);
  let results = (outs Graph_Tensor:$output);
}

#endif // TILERIG_GRAPH_PRODUCTS
