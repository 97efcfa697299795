// Recurrent layers over a sequence, in ONNX's layout 0: time steps, batch, features.
#ifndef TILERIG_GRAPH_RECURRENT
#define TILERIG_GRAPH_RECURRENT

include "compiler/Graph/IR/GraphBase.td"

def Graph_Direction : I32EnumAttr<"Direction", "order in which the steps of the sequence are processed", [
    I32EnumAttrCase<"forward", 0>, I32EnumAttrCase<"reverse", 1>, I32EnumAttrCase<"bidirectional", 2>]> {
  let cppNamespace = "::tilerig::compiler::graph";
}

defvar recurrentOperands = (ins Graph_FloatTensor:$input, Graph_FloatTensor:$weights, Graph_FloatTensor:$recurrence,
                                Optional<Graph_FloatTensor>:$bias, Optional<StaticShapeTensorOf<[I32]>>:$lengths,
                                Optional<Graph_FloatTensor>:$initialState);
defvar recurrentAttributes = (ins Graph_Direction:$direction, I64Attr:$hidden, StrArrayAttr:$activations,
                                  DenseF32ArrayAttr:$alphas, DenseF32ArrayAttr:$betas, F32Attr:$clip);

class Graph_Recurrent<string mnemonic, string onnxType, dag moreOperands, dag moreAttributes, dag moreResults>
    : Graph_InferredOp<mnemonic, onnxType, [AttrSizedOperandSegments]> {
  let arguments = !con(recurrentOperands, moreOperands, recurrentAttributes, moreAttributes);
  let results = !con((outs Graph_FloatTensor:$output, Graph_FloatTensor:$lastState), moreResults);
  let assemblyFormat = [{ `(` operands `)` attr-dict `:` functional-type(operands, results) }];
}

def Graph_RnnOp : Graph_Recurrent<"rnn", "RNN", (ins), (ins), (outs)> { let summary = "simple recurrent network"; }
def Graph_GruOp : Graph_Recurrent<"gru", "GRU", (ins), (ins UnitAttr:$linearBeforeReset), (outs)> {
  let summary = "gated recurrent units; linearBeforeReset: the reset gate is applied after the matrix product";
}
def Graph_LstmOp : Graph_Recurrent<"lstm", "LSTM",
    (ins Optional<Graph_FloatTensor>:$initialCell, Optional<Graph_FloatTensor>:$peepholes),
    (ins UnitAttr:$inputForget), (outs Graph_FloatTensor:$lastCell)> {
  let summary = "long short-term memory; inputForget: the input gate and the forget gate are coupled";
  let description = [{
    Axes of `weights`: directions, gates x hidden, features. Axes of `recurrence` (the weights of the previous state):
    directions, gates x hidden, hidden. Gates are in ONNX's order. `activations` names the functions of each direction,
    `alphas` and `betas` are their parameters, as in ONNX. A clip of 0 means no clipping. The same holds for `graph.rnn` and
    `graph.gru`.
  }];
}

#endif // TILERIG_GRAPH_RECURRENT
