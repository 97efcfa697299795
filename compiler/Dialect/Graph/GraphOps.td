// All operations of the dialect `graph`; each family has its own file.
#ifndef TILERIG_GRAPH_OPS
#define TILERIG_GRAPH_OPS

include "compiler/Dialect/Graph/Elementwise.td"
include "compiler/Dialect/Graph/Indexing.td"
include "compiler/Dialect/Graph/Movement.td"
include "compiler/Dialect/Graph/Normalisation.td"
include "compiler/Dialect/Graph/Origins.td"
include "compiler/Dialect/Graph/Products.td"
include "compiler/Dialect/Graph/Quantised.td"
include "compiler/Dialect/Graph/Recurrent.td"
include "compiler/Dialect/Graph/Reduction.td"
include "compiler/Dialect/Graph/Sampling.td"
include "compiler/Dialect/Graph/Windows.td"

def Graph_ConstantOp : Graph_Op<"constant", "", [ConstantLike, AllTypesMatch<["value", "output"]>]> {
  let summary = "an initialiser; large ones are resources";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Graph_Tensor:$output);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

def Graph_OpaqueOp : Op<Graph_Dialect, "opaque"> {
  let summary = "an operator that has no operation here, as its node says it: for the host, or to be refused";
  let description = [{
    `version` is that of the operator set of its domain. Operands that are there are marked as present. A size that
    only the values decide is open in the type of a result.
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
