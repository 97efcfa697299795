// Elementwise operations of the dialect `graph`.
#ifndef TILERIG_GRAPH_ELEMENTWISE
#define TILERIG_GRAPH_ELEMENTWISE

include "compiler/Dialect/Graph/GraphBase.td"

class Graph_Unary<string mnemonic, string onnxType>
    : Graph_Op<mnemonic, onnxType, [SameOperandsAndResultType]> {
  let arguments = (ins Graph_Tensor:$input);
  let results = (outs Graph_Tensor:$output);
  let assemblyFormat = "$input attr-dict `:` type($output)";
}

def Graph_AbsOp : Graph_Unary<"abs", "Abs">;
def Graph_AcosOp : Graph_Unary<"acos", "Acos">;
def Graph_AcoshOp : Graph_Unary<"acosh", "Acosh">;
def Graph_AsinOp : Graph_Unary<"asin", "Asin">;
def Graph_AsinhOp : Graph_Unary<"asinh", "Asinh">;
def Graph_AtanOp : Graph_Unary<"atan", "Atan">;
def Graph_AtanhOp : Graph_Unary<"atanh", "Atanh">;
def Graph_BitwiseNotOp : Graph_Unary<"bitwise_not", "BitwiseNot">;
def Graph_CeilOp : Graph_Unary<"ceil", "Ceil">;
def Graph_CosOp : Graph_Unary<"cos", "Cos">;
def Graph_CoshOp : Graph_Unary<"cosh", "Cosh">;
def Graph_ErfOp : Graph_Unary<"erf", "Erf">;
def Graph_ExpOp : Graph_Unary<"exp", "Exp">;
def Graph_FloorOp : Graph_Unary<"floor", "Floor">;
def Graph_HardSwishOp : Graph_Unary<"hard_swish", "HardSwish">;
def Graph_LogOp : Graph_Unary<"log", "Log">;
def Graph_MishOp : Graph_Unary<"mish", "Mish">;
def Graph_NegOp : Graph_Unary<"neg", "Neg">;
def Graph_NotOp : Graph_Unary<"not", "Not">;
def Graph_ReciprocalOp : Graph_Unary<"reciprocal", "Reciprocal">;
def Graph_ReluOp : Graph_Unary<"relu", "Relu">;
def Graph_RoundOp : Graph_Unary<"round", "Round">;
def Graph_SigmoidOp : Graph_Unary<"sigmoid", "Sigmoid">;
def Graph_SignOp : Graph_Unary<"sign", "Sign">;
def Graph_SinOp : Graph_Unary<"sin", "Sin">;
def Graph_SinhOp : Graph_Unary<"sinh", "Sinh">;
def Graph_SoftplusOp : Graph_Unary<"softplus", "Softplus">;
def Graph_SoftsignOp : Graph_Unary<"softsign", "Softsign">;
def Graph_SqrtOp : Graph_Unary<"sqrt", "Sqrt">;
def Graph_TanOp : Graph_Unary<"tan", "Tan">;
def Graph_TanhOp : Graph_Unary<"tanh", "Tanh">;

// Unary functions with parameters.
class Graph_ParametricUnary<string mnemonic, string onnxType, dag parameters>
    : Graph_Unary<mnemonic, onnxType> {
  let arguments = !con((ins Graph_Tensor:$input), parameters);
}

def Graph_CeluOp : Graph_ParametricUnary<"celu", "Celu", (ins F32Attr:$alpha)>;
def Graph_EluOp : Graph_ParametricUnary<"elu", "Elu", (ins F32Attr:$alpha)>;
def Graph_GeluOp : Graph_ParametricUnary<"gelu", "Gelu", (ins UnitAttr:$tanh)>;
def Graph_HardSigmoidOp : Graph_ParametricUnary<"hard_sigmoid", "HardSigmoid", (ins F32Attr:$alpha, F32Attr:$beta)>;
def Graph_LeakyReluOp : Graph_ParametricUnary<"leaky_relu", "LeakyRelu", (ins F32Attr:$alpha)>;
def Graph_SeluOp : Graph_ParametricUnary<"selu", "Selu", (ins F32Attr:$alpha, F32Attr:$gamma)>;
def Graph_ShrinkOp : Graph_ParametricUnary<"shrink", "Shrink", (ins F32Attr:$bias, F32Attr:$lambd)>;
def Graph_ThresholdedReluOp : Graph_ParametricUnary<"thresholded_relu", "ThresholdedRelu", (ins F32Attr:$alpha)>;

def Graph_SiluOp : Graph_Unary<"silu", ""> {
  let summary = "x * sigmoid(x); ONNX says it in two operators";
}

def Graph_ClipOp : Graph_Op<"clip", "Clip", [AttrSizedOperandSegments, AllTypesMatch<["input", "output"]>]> {
  let summary = "bounds as scalars; one that is absent does not bound";
  let arguments = (ins Graph_Tensor:$input, Graph_OptionalTensor:$low, Graph_OptionalTensor:$high);
  let results = (outs Graph_Tensor:$output);
  let assemblyFormat = [{
    $input (`low` $low^ `:` type($low))? (`high` $high^ `:` type($high))? attr-dict `:` type($output)
  }];
}

def Graph_CastOp : Graph_Op<"cast", "Cast", [SameOperandsAndResultShape]> {
  let arguments = (ins Graph_Tensor:$input);
  let results = (outs Graph_Tensor:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

// Predicates on numbers, such as "is NaN".
class Graph_Test<string mnemonic, string onnxType, dag parameters>
    : Graph_Op<mnemonic, onnxType, [SameOperandsAndResultShape]> {
  let arguments = !con((ins Graph_FloatTensor:$input), parameters);
  let results = (outs Graph_BoolTensor:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}
def Graph_IsInfOp : Graph_Test<"is_inf", "IsInf", (ins UnitAttr:$negative, UnitAttr:$positive)>;
def Graph_IsNaNOp : Graph_Test<"is_nan", "IsNaN", (ins)>;

class Graph_Binary<string mnemonic, string onnxType, list<Trait> traits = []>
    : Graph_InferredOp<mnemonic, onnxType, traits> {
  let arguments = (ins Graph_Tensor:$a, Graph_Tensor:$b);
  let results = (outs Graph_Tensor:$output);
}
class Graph_Comparison<string mnemonic, string onnxType> : Graph_Binary<mnemonic, onnxType>;

def Graph_AddOp : Graph_Binary<"add", "Add", [Commutative]>;
def Graph_DivOp : Graph_Binary<"div", "Div">;
def Graph_MaxOp : Graph_Binary<"max", "Max", [Commutative]>;
def Graph_MinOp : Graph_Binary<"min", "Min", [Commutative]>;
def Graph_MulOp : Graph_Binary<"mul", "Mul", [Commutative]>;
def Graph_PowOp : Graph_Binary<"pow", "Pow">;
def Graph_PReluOp : Graph_Binary<"prelu", "PRelu">;
def Graph_SubOp : Graph_Binary<"sub", "Sub">;
def Graph_ModOp : Graph_Binary<"mod", "Mod"> {
  let arguments = (ins Graph_Tensor:$a, Graph_Tensor:$b, UnitAttr:$fmod);
}
def Graph_AndOp : Graph_Binary<"and", "And", [Commutative]>;
def Graph_OrOp : Graph_Binary<"or", "Or", [Commutative]>;
def Graph_XorOp : Graph_Binary<"xor", "Xor", [Commutative]>;
def Graph_BitwiseAndOp : Graph_Binary<"bitwise_and", "BitwiseAnd", [Commutative]>;
def Graph_BitwiseOrOp : Graph_Binary<"bitwise_or", "BitwiseOr", [Commutative]>;
def Graph_BitwiseXorOp : Graph_Binary<"bitwise_xor", "BitwiseXor", [Commutative]>;
def Graph_BitShiftOp : Graph_Binary<"bit_shift", "BitShift"> {
  let arguments = (ins Graph_Tensor:$a, Graph_Tensor:$b, UnitAttr:$left);
}
def Graph_EqualOp : Graph_Comparison<"equal", "Equal">;
def Graph_GreaterOp : Graph_Comparison<"greater", "Greater">;
def Graph_GreaterOrEqualOp : Graph_Comparison<"greater_or_equal", "GreaterOrEqual">;
def Graph_LessOp : Graph_Comparison<"less", "Less">;
def Graph_LessOrEqualOp : Graph_Comparison<"less_or_equal", "LessOrEqual">;

def Graph_WhereOp : Graph_InferredOp<"where", "Where"> {
  let arguments = (ins Graph_BoolTensor:$condition, Graph_Tensor:$a, Graph_Tensor:$b);
  let results = (outs Graph_Tensor:$output);
}

#endif // TILERIG_GRAPH_ELEMENTWISE
