// Attributes used in the locations of operations, which record the nodes and tensors of the ONNX model (see
// Origins.h).
#ifndef TILERIG_GRAPH_ORIGINS
#define TILERIG_GRAPH_ORIGINS

include "compiler/Graph/IR/GraphBase.td"

def Graph_OrderAttr : AttrDef<Graph_Dialect, "Order"> {
  let summary = "order of the axes of a value, compared with the tensor of the model that it holds";
  let description = [{
    Axis i of the model's tensor is axis axes[i] of the value. Example: if the model has an image with channels first
    and the value holds this image with channels last, the attribute is `#graph.order<[0, 3, 1, 2]>`. In a location, it
    is the metadata of the fused location that contains the tensor's name.
  }];
  let mnemonic = "order";
  let parameters = (ins ArrayRefParameter<"int64_t">:$axes);
  let assemblyFormat = "`<` `[` $axes `]` `>`";
  let genVerifyDecl = 1;
}

#endif // TILERIG_GRAPH_ORIGINS
