// Operations on quantised integers: quantise, dequantise, and products.
#ifndef TILERIG_GRAPH_QUANTISED
#define TILERIG_GRAPH_QUANTISED

include "compiler/Graph/IR/GraphBase.td"
include "compiler/Graph/IR/Windows.td"

def Graph_QuantisedTensor : StaticShapeTensorOf<[I8, UI8, I16, UI16]>;
def Graph_DequantisableTensor : StaticShapeTensorOf<[I8, UI8, I16, UI16, I32]>;
def Graph_EightBitTensor : StaticShapeTensorOf<[I8, UI8]>;
def Graph_Int32Tensor : StaticShapeTensorOf<[I32]>;
defvar Graph_OptionalEightBits = Optional<Graph_EightBitTensor>;

class Graph_Quantisation<string mnemonic, string onnxType, dag operands> : Graph_Op<mnemonic, onnxType> {
  let arguments = !con(operands, (ins I64Attr:$axis, DefaultValuedAttr<I64Attr, "0">:$blockSize));
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Graph_QuantizeLinearOp : Graph_Quantisation<"quantize_linear", "QuantizeLinear",
    (ins StaticShapeTensorOf<[F16, BF16, F32, F64, I32]>:$input, Graph_FloatTensor:$scale,
         Optional<Graph_QuantisedTensor>:$zeroPoint)> {
  let summary = "quantises: x / scale, rounded half to even, plus the zero point, saturated";
  let description = [{
    A scale of one element applies to the whole tensor; a vector of scales has one element for each index of `axis`. With a
    nonzero `blockSize`, the scales are a tensor of the input's shape, except that along `axis` one scale applies to
    `blockSize` indices. The zero point has the shape of the scale; an absent zero point is 0.

    ```mlir
    %q = graph.quantize_linear %x, %s, %z {axis = 0 : i64} : (tensor<2x4xf32>, tensor<f32>, tensor<ui8>) -> tensor<2x4xui8>
    ```
  }];
  let results = (outs Graph_QuantisedTensor:$output);
}
def Graph_DequantizeLinearOp : Graph_Quantisation<"dequantize_linear", "DequantizeLinear",
    (ins Graph_DequantisableTensor:$input, Graph_FloatTensor:$scale,
         Optional<Graph_DequantisableTensor>:$zeroPoint)> {
  let summary = "dequantises: (x - zero point) * scale";
  let results = (outs Graph_FloatTensor:$output);
}

def Graph_DynamicQuantizeLinearOp : Graph_InferredOp<"dynamic_quantize_linear", "DynamicQuantizeLinear"> {
  let summary = "quantises to uint8 with a scale and zero point computed from the range of the values";
  let arguments = (ins Graph_FloatTensor:$input);
  let results = (outs StaticShapeTensorOf<[UI8]>:$output, Graph_FloatTensor:$scale,
                      StaticShapeTensorOf<[UI8]>:$zeroPoint);
}

def Graph_QLinearConvOp : Graph_Op<"qlinear_conv", "QLinearConv"> {
  let onnxNames = [Graph_OnnxName<"groups", "group">];
  let summary = "convolution of quantised tensors with a quantised result";
  let description = [{
    Operands are as for `graph.qlinear_matmul`; scale and zero point of the weights may have one element for each output.
  }];
  let arguments = !con((ins Graph_EightBitTensor:$input, Graph_FloatTensor:$inputScale,
                            Graph_EightBitTensor:$inputZeroPoint, Graph_EightBitTensor:$weights,
                            Graph_FloatTensor:$weightScale, Graph_EightBitTensor:$weightZeroPoint,
                            Graph_FloatTensor:$outputScale, Graph_EightBitTensor:$outputZeroPoint,
                            Optional<Graph_Int32Tensor>:$bias, I64Attr:$groups), windowAttributes,
                       (ins UnitAttr:$channelsLast));
  let results = (outs Graph_EightBitTensor:$output);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
def Graph_QLinearMatMulOp : Graph_Op<"qlinear_matmul", "QLinearMatMul"> {
  let summary = "matrix product of quantised tensors with a quantised result";
  let description = [{
    Each operand is followed by its scale and zero point; then come the scale and zero point of the result. A scale or zero
    point is a scalar or a vector of one element; it may also have one element for each row of `a`, or for each column of `b`.

    ```mlir
    %q = graph.qlinear_matmul %a, %as, %az, %b, %bs, %bz, %s, %z
           : (tensor<2x3xui8>, tensor<f32>, tensor<ui8>, tensor<3x5xui8>, tensor<5xf32>, tensor<ui8>, tensor<f32>, tensor<ui8>)
           -> tensor<2x5xui8>
    ```
  }];
  let arguments = (ins Graph_EightBitTensor:$a, Graph_FloatTensor:$aScale, Graph_EightBitTensor:$aZeroPoint,
                       Graph_EightBitTensor:$b, Graph_FloatTensor:$bScale, Graph_EightBitTensor:$bZeroPoint,
                       Graph_FloatTensor:$outputScale, Graph_EightBitTensor:$outputZeroPoint);
  let results = (outs Graph_EightBitTensor:$output);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

// The operations *_integer return integer sums of products without scaling; absent zero points are 0.
def Graph_ConvIntegerOp : Graph_InferredOp<"conv_integer", "ConvInteger", [AttrSizedOperandSegments]> {
  let onnxNames = [Graph_OnnxName<"groups", "group">];
  let summary = "convolution of 8-bit integers with int32 results";
  let arguments = !con((ins Graph_EightBitTensor:$input, Graph_EightBitTensor:$weights,
                            Graph_OptionalEightBits:$inputZeroPoint, Graph_OptionalEightBits:$weightZeroPoint,
                            I64Attr:$groups), windowAttributes, (ins UnitAttr:$channelsLast));
  let results = (outs Graph_Int32Tensor:$output);
  let assemblyFormat = [{
    $input `,` $weights (`less` $inputZeroPoint^ `:` type($inputZeroPoint))?
    (`weights_less` $weightZeroPoint^ `:` type($weightZeroPoint))?
    attr-dict `:` type($input) `,` type($weights) `->` type($output)
  }];
}
def Graph_MatMulIntegerOp : Graph_InferredOp<"matmul_integer", "MatMulInteger", [AttrSizedOperandSegments]> {
  let summary = "matrix product of 8-bit integers with int32 results";
  let arguments = (ins Graph_EightBitTensor:$a, Graph_EightBitTensor:$b, Graph_OptionalEightBits:$aZeroPoint,
                       Graph_OptionalEightBits:$bZeroPoint);
  let results = (outs Graph_Int32Tensor:$output);
  let assemblyFormat = [{
    $a `,` $b (`less` $aZeroPoint^ `:` type($aZeroPoint))? (`b_less` $bZeroPoint^ `:` type($bZeroPoint))?
    attr-dict `:` type($a) `,` type($b) `->` type($output)
  }];
}

#endif // TILERIG_GRAPH_QUANTISED
