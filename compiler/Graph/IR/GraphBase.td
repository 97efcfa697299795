// The dialect `graph`: the operators of ONNX, each in one canonical form, however the versions of the standard
// and the exporters write it.
#ifndef TILERIG_GRAPH_BASE
#define TILERIG_GRAPH_BASE

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "compiler/Graph/IR/GraphInterfaces.td"

def Graph_Dialect : Dialect {
  let name = "graph";
  let cppNamespace = "::tilerig::compiler::graph";
  let summary = "ONNX models: one operation per ONNX operator, in canonical form";
  let description = [{
    One operation for each ONNX operator that the compiler knows. All versions of an operator are imported into the form
    of the newest operator set: parameters that older versions state in another place (as an input or as an attribute)
    are moved, axes are not negative, padding is explicit, and inputs that must be constants (shapes, axes, sizes) are
    attributes. All shapes are static. All other ONNX operators are imported as `graph.opaque`.

    The location of an operation contains the name of its ONNX node and the names of the tensors that are its results;
    see Origins.h.
  }];
  let hasConstantMaterializer = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    // Tensors that own the bytes of resource attributes, by address; see attributeOf(). The resources own them.
    ::llvm::DenseMap<const void *, ::std::weak_ptr<const ::tilerig::Tensor>> resourceTensors;
  }];
}

defvar Graph_Tensor = AnyStaticShapeTensor;
def Graph_FloatTensor : StaticShapeTensorOf<[F16, BF16, F32, F64]>;
def Graph_BoolTensor : StaticShapeTensorOf<[I1]>;
defvar Graph_OptionalTensor = Optional<AnyStaticShapeTensor>;

// Elementwise operations, with broadcasting; see Traits.h.
def Graph_Elementwise : NativeOpTrait<"Elementwise"> {
  let cppNamespace = "::tilerig::compiler::graph";
}

// The name in ONNX of an attribute, where it is not the attribute's own name in snake case.
class Graph_OnnxName<string attribute, string onnx> {
  string case = ".Case(\"" # attribute # "\", \"" # onnx # "\")";
}
// The default of a float attribute, for ONNX nodes that lack the attribute, as a C++ expression.
class Graph_OnnxDefault<string attribute, string value> {
  string case = ".Case(\"" # attribute # "\", " # value # ")";
}

// Base of all operations. `onnxType` is the name of the ONNX operator that the operation represents; empty if
// there is no such operator.
//
// An operation needs no code to be exported if it has the operands and attributes of the ONNX operator.
// (Attributes may be numbers, lists, text, or UnitAttr for 0 or 1.) All other operations, and those with
// optional attributes, are exported by code in compiler/Export/Operations.cpp.
class Graph_Op<string mnemonic, string onnxType, list<Trait> traits = []>
    : Op<Graph_Dialect, mnemonic,
         !listconcat([Pure], !if(!empty(onnxType), []<Trait>, [Graph_OnnxOperator]<Trait>), traits)> {
  string onnx = onnxType; // read by compiler/Tools/dialect-page
  list<Graph_OnnxName> onnxNames = [];
  list<Graph_OnnxDefault> onnxDefaults = [];
  let extraClassDeclaration = [{
    static constexpr ::llvm::StringLiteral onnxType = "}] # onnxType # [{";
    static ::std::string onnxName(::llvm::StringRef attribute) {
      return ::llvm::StringSwitch<::std::string>(attribute)}]
        # !interleave(!foreach(name, onnxNames, name.case), "") # [{
          .Default(::llvm::convertToSnakeFromCamelCase(attribute));
    }
    static ::std::optional<float> onnxDefault(::llvm::StringRef attribute) {
      return ::llvm::StringSwitch<::std::optional<float>>(attribute)}]
        # !interleave(!foreach(parameter, onnxDefaults, parameter.case), "") # [{
          .Default(::std::nullopt);
    }
  }];
}

// Operation with inferred result types: inferReturnTypes() is written by hand, and the verifier compares the
// types of the results with the inferred ones.
class Graph_InferredOp<string mnemonic, string onnxType, list<Trait> traits = []>
    : Graph_Op<mnemonic, onnxType, !listconcat([InferTypeOpAdaptor], traits)> {
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

#endif // TILERIG_GRAPH_BASE
