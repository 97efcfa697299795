// Matrix products.
#ifndef TILERIG_GRAPH_PRODUCTS
#define TILERIG_GRAPH_PRODUCTS

include "compiler/Graph/IR/GraphBase.td"

def Graph_MatMulOp : Graph_InferredOp<"matmul", "MatMul"> {
  let summary = "matrix product with the broadcasting rules of numpy.matmul";
  let arguments = (ins Graph_Tensor:$a, Graph_Tensor:$b);
  let results = (outs Graph_Tensor:$output);
}

def Graph_GemmOp : Graph_InferredOp<"gemm", "Gemm"> {
  let onnxNames = [Graph_OnnxName<"transA", "transA">, Graph_OnnxName<"transB", "transB">];
  let summary = "alpha * a * b + beta * c, where a and b may be transposed first";
  let arguments = (ins Graph_Tensor:$a, Graph_Tensor:$b, Graph_OptionalTensor:$c, F32Attr:$alpha, F32Attr:$beta,
                       UnitAttr:$transA, UnitAttr:$transB);
  let results = (outs Graph_Tensor:$output);
}

def Graph_AttentionOp : Graph_InferredOp<"attention", "", [AttrSizedOperandSegments]> {
  let summary = "softmax(scale * q * k^T + mask) * v, over the last axis; ONNX expresses it as several operators";
  let description = [{
    Queries, keys and values have the shapes [.., M, D], [.., N, D] and [.., N, E]. Their leading axes broadcast; the
    mask and the choice broadcast to [.., M, N], the shape of the scores.

    Scores for which `choice` is false are replaced by `fill`; with `fillsChosen`, those for which it is true. The mask
    is added before this replacement; with `fillFirst`, after it. With `nanIsZero`, softmax results that are NaN become
    0: softmax gives NaN in rows in which every score is minus infinity.

    ```mlir
    %y = graph.attention %q, %k, %v mask %m {scale = 0.25 : f64}
           : (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<8x8xf32>) -> tensor<2x4x8x16xf32>
    ```
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
  let summary = "sum of products in Einstein notation: one letter per axis, '...' for axes that broadcast";
  let arguments = (ins Variadic<Graph_Tensor>:$inputs, StrAttr:$equation);
  let results = (outs Graph_Tensor:$output);
}

#endif // TILERIG_GRAPH_PRODUCTS
