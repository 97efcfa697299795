// Elementwise layers of the dialect `layer`.
#ifndef TILERIG_LAYER_ELEMENTWISE
#define TILERIG_LAYER_ELEMENTWISE

include "compiler/Layer/IR/LayerBase.td"

def Layer_ActivateOp : Layer_Finished<"activate", (ins Layer_Tensor:$input), (ins)> {
  let summary = "applies a function to each element; without a function, only converts the element type";
  let assemblyFormat = "(`by` $function^)? $input attr-dict `:` functional-type(operands, results)";
}

def Layer_BinaryOp : Layer_Finished<"binary", (ins Layer_Tensor:$a, Layer_Tensor:$b), (ins Layer_BinaryKind:$kind)> {
  let summary = "combines two operands element by element, with numpy's broadcasting";
  let assemblyFormat = "`` $kind $a `,` $b (`then` $function^)? attr-dict `:` functional-type(operands, results)";
}

def Layer_SelectOp : Layer_Finished<"select", (ins Layer_Tensor:$condition, Layer_Tensor:$a, Layer_Tensor:$b), (ins)> {
  let summary = "a where the condition is true, b elsewhere, with numpy's broadcasting";
  let assemblyFormat = "operands (`then` $function^)? attr-dict `:` functional-type(operands, results)";
}

#endif // TILERIG_LAYER_ELEMENTWISE
