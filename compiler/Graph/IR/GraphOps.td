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

def Graph_BodyAttr : AttrDef<Graph_Dialect, "Body"> {
  let summary = "subgraph of an opaque operation: the body of a loop, or a branch";
  let description = [{
    `graph` is the subgraph as ONNX's GraphProto, in protobuf's text format and in the newest operator set. It may read
    tensors of the graph around it by the names `captures`. The operation has one more operand for each of these names,
    behind the inputs of the node; if it has several subgraphs, in the order of the names of their attributes.
  }];
  let mnemonic = "body";
  let parameters = (ins "mlir::ArrayAttr":$captures, "mlir::StringAttr":$graph);
  let assemblyFormat = "`<` $captures `,` $graph `>`";
}

def Graph_OpaqueOp : Op<Graph_Dialect, "opaque"> {
  let summary = "ONNX operator without an operation in this dialect; it runs on the host, or the compiler refuses it";
  let description = [{
    `domain` and `nodeType` name the operator, `version` is the version of the domain's operator set. ONNX nodes can omit
    optional inputs: `present` has one entry per input of the node, true if it is given. In the type of a result, a size
    that depends on the values of the inputs is dynamic. The subgraphs of Loop, Scan and If are attributes `#graph.body`;
    the tensors that they read from the graph around them are the last operands.

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
