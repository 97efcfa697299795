// Matrix products.
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

def Graph_AttentionOp : Graph_InferredOp<"attention", "", [AttrSizedOperandSegments]> {
  let summary = "softmax(scale * q * k^T + mask) * v over the last axis; ONNX says it in a chain of operators";
  let description = [{
    Queries, keys and values are matrices of rows, [.., M, D], [.., N, D] and [.., N, E]; what is in front broadcasts,
    and the mask and the choice broadcast to [.., M, N].

    A score that is not chosen is `fill` instead, whatever it was; with `fillsChosen`, one that is chosen. With
    `fillFirst` the mask is added to these as well. With `nanIsZero` a weight that is no number, as where a row has no
    score above minus infinity, is 0.
  }];
  let arguments = (ins Graph_FloatTensor:$q, Graph_FloatTensor:$k, Graph_FloatTensor:$v,
                       Optional<Graph_FloatTensor>:$mask, Optional<Graph_BoolTensor>:$choice, F64Attr:$scale,
                       OptionalAttr<F64Attr>:$fill, UnitAttr:$fillsChosen, UnitAttr:$fillFirst, UnitAttr:$nanIsZero);
  let results = (outs Graph_FloatTensor:$output);
  let assemblyFormat = [{
    $q `,` $k `,` $v (`mask` $mask^)? (`choice` $choice^)? attr-dict `:` functional-type(operands, results)
  }];
}

def Graph_EinsumOp : Graph_InferredOp<"einsum", "Einsum"> {
  let summary = "a letter for each axis, ellipses broadcast; the result's letters are always given";
  let arguments = (ins Variadic<Graph_Tensor>:$inputs, StrAttr:$equation);
  let results = (outs Graph_Tensor:$output);
}

#endif // TILERIG_GRAPH_PRODUCTS
