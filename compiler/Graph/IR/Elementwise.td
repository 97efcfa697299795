// Elementwise operations of the dialect `graph`.
#ifndef TILERIG_GRAPH_ELEMENTWISE
#define TILERIG_GRAPH_ELEMENTWISE

include "compiler/Graph/IR/GraphBase.td"

class Graph_Unary<string mnemonic, string onnxType>
    : Graph_Op<mnemonic, onnxType, [SameOperandsAndResultType, Graph_Elementwise]> {
  let arguments = (ins Graph_Tensor:$input);
  let results = (outs Graph_Tensor:$output);
  let assemblyFormat = "$input attr-dict `:` type($output)";
}

def Graph_AbsOp : Graph_Unary<"abs", "Abs"> { let summary = "absolute value"; }
def Graph_AcosOp : Graph_Unary<"acos", "Acos"> { let summary = "inverse cosine"; }
def Graph_AcoshOp : Graph_Unary<"acosh", "Acosh"> { let summary = "inverse hyperbolic cosine"; }
def Graph_AsinOp : Graph_Unary<"asin", "Asin"> { let summary = "inverse sine"; }
def Graph_AsinhOp : Graph_Unary<"asinh", "Asinh"> { let summary = "inverse hyperbolic sine"; }
def Graph_AtanOp : Graph_Unary<"atan", "Atan"> { let summary = "inverse tangent"; }
def Graph_AtanhOp : Graph_Unary<"atanh", "Atanh"> { let summary = "inverse hyperbolic tangent"; }
def Graph_BitwiseNotOp : Graph_Unary<"bitwise_not", "BitwiseNot"> { let summary = "complements every bit"; }
def Graph_CeilOp : Graph_Unary<"ceil", "Ceil"> { let summary = "rounds up to an integer"; }
def Graph_CosOp : Graph_Unary<"cos", "Cos"> { let summary = "cosine"; }
def Graph_CoshOp : Graph_Unary<"cosh", "Cosh"> { let summary = "hyperbolic cosine"; }
def Graph_ErfOp : Graph_Unary<"erf", "Erf"> { let summary = "error function"; }
def Graph_ExpOp : Graph_Unary<"exp", "Exp"> { let summary = "exponential function"; }
def Graph_FloorOp : Graph_Unary<"floor", "Floor"> { let summary = "rounds down to an integer"; }
def Graph_HardSwishOp : Graph_Unary<"hard_swish", "HardSwish"> { let summary = "x * max(0, min(1, x / 6 + 1 / 2))"; }
def Graph_LogOp : Graph_Unary<"log", "Log"> { let summary = "natural logarithm"; }
def Graph_MishOp : Graph_Unary<"mish", "Mish"> { let summary = "x * tanh(softplus(x))"; }
def Graph_NegOp : Graph_Unary<"neg", "Neg"> { let summary = "changes the sign"; }
def Graph_NotOp : Graph_Unary<"not", "Not"> { let summary = "logical negation"; }
def Graph_ReciprocalOp : Graph_Unary<"reciprocal", "Reciprocal"> { let summary = "1 / x"; }
def Graph_ReluOp : Graph_Unary<"relu", "Relu"> { let summary = "max(x, 0)"; }
def Graph_RoundOp : Graph_Unary<"round", "Round"> { let summary = "rounds to the nearest integer, ties to even"; }
def Graph_SigmoidOp : Graph_Unary<"sigmoid", "Sigmoid"> { let summary = "1 / (1 + exp(-x))"; }
def Graph_SignOp : Graph_Unary<"sign", "Sign"> { let summary = "-1, 0 or 1: the sign of x"; }
def Graph_SinOp : Graph_Unary<"sin", "Sin"> { let summary = "sine"; }
def Graph_SinhOp : Graph_Unary<"sinh", "Sinh"> { let summary = "hyperbolic sine"; }
def Graph_SoftplusOp : Graph_Unary<"softplus", "Softplus"> { let summary = "log(1 + exp(x))"; }
def Graph_SoftsignOp : Graph_Unary<"softsign", "Softsign"> { let summary = "x / (1 + abs(x))"; }
def Graph_SqrtOp : Graph_Unary<"sqrt", "Sqrt"> { let summary = "square root"; }
def Graph_TanOp : Graph_Unary<"tan", "Tan"> { let summary = "tangent"; }
def Graph_TanhOp : Graph_Unary<"tanh", "Tanh"> { let summary = "hyperbolic tangent"; }

// Unary functions with parameters. `defaults`: the values of float parameters that an ONNX node leaves out.
class Graph_ParametricUnary<string mnemonic, string onnxType, dag parameters, list<Graph_OnnxDefault> defaults = []>
    : Graph_Unary<mnemonic, onnxType> {
  let onnxDefaults = defaults;
  let arguments = !con((ins Graph_Tensor:$input), parameters);
}

def Graph_CeluOp : Graph_ParametricUnary<"celu", "Celu", (ins F32Attr:$alpha), [Graph_OnnxDefault<"alpha", "1.0f">]> {
  let summary = "x if x is positive, else alpha * (exp(x / alpha) - 1)";
}
def Graph_EluOp : Graph_ParametricUnary<"elu", "Elu", (ins F32Attr:$alpha), [Graph_OnnxDefault<"alpha", "1.0f">]> {
  let summary = "x if x is positive, else alpha * (exp(x) - 1)";
}
def Graph_GeluOp : Graph_ParametricUnary<"gelu", "Gelu", (ins UnitAttr:$tanh)> {
  let summary = "Gaussian error linear unit; with tanh, its approximation";
}
def Graph_HardSigmoidOp : Graph_ParametricUnary<"hard_sigmoid", "HardSigmoid", (ins F32Attr:$alpha, F32Attr:$beta),
    [Graph_OnnxDefault<"alpha", "0.2f">, Graph_OnnxDefault<"beta", "0.5f">]> {
  let summary = "max(0, min(1, alpha * x + beta))";
}
def Graph_LeakyReluOp : Graph_ParametricUnary<"leaky_relu", "LeakyRelu", (ins F32Attr:$alpha),
                                             [Graph_OnnxDefault<"alpha", "0.01f">]> {
  let summary = "x if x is positive, else alpha * x";
}
def Graph_SeluOp : Graph_ParametricUnary<"selu", "Selu", (ins F32Attr:$alpha, F32Attr:$gamma),
    [Graph_OnnxDefault<"alpha", "1.67326319217681884765625f">, Graph_OnnxDefault<"gamma", "1.05070102214813232421875f">]> {
  let summary = "gamma * x if x is positive, else gamma * alpha * (exp(x) - 1)";
}
def Graph_ShrinkOp : Graph_ParametricUnary<"shrink", "Shrink", (ins F32Attr:$bias, F32Attr:$lambd),
    [Graph_OnnxDefault<"bias", "0.0f">, Graph_OnnxDefault<"lambd", "0.5f">]> {
  let summary = "x + bias if x < -lambd, x - bias if x > lambd, else 0";
}
def Graph_ThresholdedReluOp : Graph_ParametricUnary<"thresholded_relu", "ThresholdedRelu", (ins F32Attr:$alpha),
                                                   [Graph_OnnxDefault<"alpha", "1.0f">]> {
  let summary = "x if x is greater than alpha, else 0";
}

def Graph_SiluOp : Graph_Unary<"silu", ""> {
  let summary = "x * sigmoid(x), which ONNX expresses as two operators";
}

def Graph_ClipOp : Graph_Op<"clip", "Clip", [AttrSizedOperandSegments, AllTypesMatch<["input", "output"]>,
                                             Graph_Elementwise]> {
  let summary = "limits elements to the range from low to high, which are scalars; a missing bound sets no limit";
  let arguments = (ins Graph_Tensor:$input, Graph_OptionalTensor:$low, Graph_OptionalTensor:$high);
  let results = (outs Graph_Tensor:$output);
  let assemblyFormat = [{
    $input (`low` $low^ `:` type($low))? (`high` $high^ `:` type($high))? attr-dict `:` type($output)
  }];
}

def Graph_CastOp : Graph_Op<"cast", "Cast", [SameOperandsAndResultShape, Graph_Elementwise]> {
  let summary = "converts elements to another type";
  let arguments = (ins Graph_Tensor:$input);
  let results = (outs Graph_Tensor:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

// Predicates on numbers, such as "is NaN".
class Graph_Test<string mnemonic, string onnxType, dag parameters>
    : Graph_Op<mnemonic, onnxType, [SameOperandsAndResultShape, Graph_Elementwise]> {
  let arguments = !con((ins Graph_FloatTensor:$input), parameters);
  let results = (outs Graph_BoolTensor:$output);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}
def Graph_IsInfOp : Graph_Test<"is_inf", "IsInf", (ins UnitAttr:$negative, UnitAttr:$positive)> {
  let summary = "tests whether elements are infinite; negative, positive: whether infinities of that sign count";
  let onnxNames = [Graph_OnnxName<"negative", "detect_negative">, Graph_OnnxName<"positive", "detect_positive">];
}
def Graph_IsNaNOp : Graph_Test<"is_nan", "IsNaN", (ins)> { let summary = "tests whether elements are NaN"; }

// Operations on two tensors; `typeRule` is the function of Shapes.h that infers the type of the result.
class Graph_Binary<string mnemonic, string onnxType, list<Trait> traits = [], string typeRule = "inferArithmetic">
    : Graph_InferredOp<mnemonic, onnxType, !listconcat([Graph_Elementwise], traits)> {
  let arguments = (ins Graph_Tensor:$a, Graph_Tensor:$b);
  let results = (outs Graph_Tensor:$output);
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *, ::std::optional<::mlir::Location> location,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return }] # typeRule # [{(location, adaptor.getA(), adaptor.getB(), types);
    }
  }];
}
class Graph_Comparison<string mnemonic, string onnxType> : Graph_Binary<mnemonic, onnxType, [], "inferComparison">;

def Graph_AddOp : Graph_Binary<"add", "Add", [Commutative]> { let summary = "sum of two tensors"; }
def Graph_DivOp : Graph_Binary<"div", "Div"> {
  let summary = "quotient of two tensors; integers are rounded towards zero";
}
def Graph_MaxOp : Graph_Binary<"max", "Max", [Commutative]> { let summary = "larger element of two tensors"; }
def Graph_MinOp : Graph_Binary<"min", "Min", [Commutative]> { let summary = "smaller element of two tensors"; }
def Graph_MulOp : Graph_Binary<"mul", "Mul", [Commutative]> {
  let summary = "product of two tensors, element by element";
}
def Graph_PowOp : Graph_Binary<"pow", "Pow", [], "inferPower"> { let summary = "a to the power of b"; }
def Graph_PReluOp : Graph_Binary<"prelu", "PRelu"> { let summary = "a if a is not negative, else a * b"; }
def Graph_SubOp : Graph_Binary<"sub", "Sub"> { let summary = "difference of two tensors"; }
def Graph_ModOp : Graph_Binary<"mod", "Mod"> {
  let summary = "remainder of a / b; with fmod it has the sign of a, else that of b";
  let arguments = (ins Graph_Tensor:$a, Graph_Tensor:$b, UnitAttr:$fmod);
}
def Graph_AndOp : Graph_Binary<"and", "And", [Commutative]> { let summary = "logical and"; }
def Graph_OrOp : Graph_Binary<"or", "Or", [Commutative]> { let summary = "logical or"; }
def Graph_XorOp : Graph_Binary<"xor", "Xor", [Commutative]> { let summary = "logical exclusive or"; }
def Graph_BitwiseAndOp : Graph_Binary<"bitwise_and", "BitwiseAnd", [Commutative]> { let summary = "bitwise and"; }
def Graph_BitwiseOrOp : Graph_Binary<"bitwise_or", "BitwiseOr", [Commutative]> { let summary = "bitwise or"; }
def Graph_BitwiseXorOp : Graph_Binary<"bitwise_xor", "BitwiseXor", [Commutative]> {
  let summary = "bitwise exclusive or";
}
def Graph_BitShiftOp : Graph_Binary<"bit_shift", "BitShift"> {
  let summary = "shifts the bits of a by b places, to the left or to the right";
  let arguments = (ins Graph_Tensor:$a, Graph_Tensor:$b, UnitAttr:$left);
}
def Graph_EqualOp : Graph_Comparison<"equal", "Equal"> { let summary = "tests whether a = b"; }
def Graph_GreaterOp : Graph_Comparison<"greater", "Greater"> { let summary = "tests whether a > b"; }
def Graph_GreaterOrEqualOp : Graph_Comparison<"greater_or_equal", "GreaterOrEqual"> {
  let summary = "tests whether a >= b";
}
def Graph_LessOp : Graph_Comparison<"less", "Less"> { let summary = "tests whether a < b"; }
def Graph_LessOrEqualOp : Graph_Comparison<"less_or_equal", "LessOrEqual"> { let summary = "tests whether a <= b"; }

def Graph_WhereOp : Graph_InferredOp<"where", "Where", [Graph_Elementwise]> {
  let summary = "a where the condition is true, b elsewhere";
  let arguments = (ins Graph_BoolTensor:$condition, Graph_Tensor:$a, Graph_Tensor:$b);
  let results = (outs Graph_Tensor:$output);
}

#endif // TILERIG_GRAPH_ELEMENTWISE
