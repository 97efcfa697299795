// All operations of the dialect `graph`; each family has its own file.
#ifndef TILERIG_GRAPH_OPS
#define TILERIG_GRAPH_OPS

include "compiler/Graph/IR/Elementwise.td"
include "compiler/Graph/IR/Indexing.td"
include "compiler/Graph/IR/Movement.td"
include "compiler/Graph/IR/Normalisation.td"
include "compiler/Graph/IR/Origins.td"
include "compiler/Graph/IR/Products.td"
include "compiler/Graph/IR/Quantised.td"
include "compiler/Graph/IR/Recurrent.td"
include "compiler/Graph/IR/Reduction.td"
include "compiler/Graph/IR/Sampling.td"
include "compiler/Graph/IR/Windows.td"

def Graph_ConstantOp : Graph_Op<"constant", "", [ConstantLike, AllTypesMatch<["value", "output"]>]> {
  let summary = "constant tensor (an initialiser of the model); large values are stored as MLIR resources";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Graph_Tensor:$output);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

def Graph_OpaqueOp : Op<Graph_Dialect, "opaque"> {
  let summary = "ONNX operator without an operation in this dialect; it runs on the host, or the compiler refuses it";
  let description = [{
    `domain` and `nodeType` name the operator, `version` is the version of the domain's operator set. ONNX nodes can omit
    optional inputs: `present` has one entry per input of the node, true if it is given. In the type of a result, a size
    that depends on the values of the inputs is dynamic.

    ```mlir
    %y = graph.opaque "com.example" 3 "Fly"(%x, %p) {height = 7 : i64} present [true, false, true]
           : (tensor<3x4xf32>, tensor<2x?xi64>) -> tensor<5xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyTensor>:$inputs, StrAttr:$domain, I64Attr:$version, StrAttr:$nodeType,
                       DictionaryAttr:$nodeAttributes, DenseBoolArrayAttr:$present);
  let results = (outs Variadic<AnyTensor>:$outputs);
  let assemblyFormat = [{
    $domain $version $nodeType `(` $inputs `)` $nodeAttributes `present` $present attr-dict `:`
    functional-type($inputs, $outputs)
  }];
  let hasVerifier = 1;
}

#endif // TILERIG_GRAPH_OPS
