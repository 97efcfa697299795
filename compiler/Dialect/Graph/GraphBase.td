// The dialect `graph`: the operators of ONNX, each in a single form where exporters and versions of the
// standard differ.
#ifndef TILERIG_GRAPH_BASE
#define TILERIG_GRAPH_BASE

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Graph_Dialect : Dialect {
  let name = "graph";
  let cppNamespace = "::tilerig::compiler::graph";
  let summary = "models as ONNX says them";
  let description = [{
    One operation for each ONNX operator that the compiler understands, in the form of the newest operator set: what
    earlier ones had as attributes or inputs is one or the other, axes count from 0, padding is explicit, optional
    inputs that are constants by meaning (shapes, axes, sizes) are attributes. Everything has a static shape. What has
    no operation here is `graph.opaque`.

    The location of an operation is the name of its ONNX node, and inside it the names of its results' tensors; see
    Origins.h.
  }];
  let hasConstantMaterializer = 1;
  let useDefaultAttributePrinterParser = 1;
}

defvar Graph_Tensor = AnyStaticShapeTensor;
def Graph_FloatTensor : StaticShapeTensorOf<[F16, BF16, F32, F64]>;
def Graph_BoolTensor : StaticShapeTensorOf<[I1]>;
defvar Graph_OptionalTensor = Optional<AnyStaticShapeTensor>;

// Base of all operations. `onnxType` is the ONNX operator that the operation stands for.
class Graph_Op<string mnemonic, string onnxType, list<Trait> traits = []>
    : Op<Graph_Dialect, mnemonic, !listconcat([Pure], traits)> {
  string onnx = onnxType;
  let extraClassDeclaration = [{
    static constexpr ::llvm::StringLiteral onnxType = "}] # onnxType # [{";
  }];
}

// Operation with inferred result types: inferReturnTypes() is written by hand, and the verifier compares the
// types of the results with the inferred ones.
class Graph_InferredOp<string mnemonic, string onnxType, list<Trait> traits = []>
    : Graph_Op<mnemonic, onnxType, !listconcat([InferTypeOpAdaptor], traits)> {
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

#endif // TILERIG_GRAPH_BASE
