// Attributes in locations that record more than names (see Origins.h).
#ifndef TILERIG_GRAPH_ORIGINS
#define TILERIG_GRAPH_ORIGINS

include "compiler/Dialect/Graph/GraphBase.td"

def Graph_OrderAttr : AttrDef<Graph_Dialect, "Order"> {
  let summary = "how the axes of a value lie to those of the model's tensor that it is";
  let description = [{
    Axis i of the model's tensor is axis order[i] of the value: an image that the model has with channels first is
    `#graph.order<[0, 3, 1, 2]>` with channels last. It stands around the tensor's name in a location.
  }];
  let mnemonic = "order";
  let parameters = (ins ArrayRefParameter<"int64_t">:$axes);
  let assemblyFormat = "`<` `[` $axes `]` `>`";
  let genVerifyDecl = 1;
}

#endif // TILERIG_GRAPH_ORIGINS
