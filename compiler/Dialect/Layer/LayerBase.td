// The dialect `layer`: units of work of the accelerator or of the host.
#ifndef TILERIG_LAYER_BASE
#define TILERIG_LAYER_BASE

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Layer_Dialect : Dialect {
  let name = "layer";
  let cppNamespace = "::tilerig::compiler::layer";
  let summary = "fused layers of the accelerator, and host regions";
  let description = [{
    One operation for each layer of the accelerator, with its epilogue: bias, addend and function. Images are batch,
    rows, columns, channels. Element types say the precision: floats, or `quant.uniform` with scale and zero point
    (i8, u8, or i16<-256:255>, which is the machine's i9); integers that are no quantised reals are i32, booleans i1
    until the precision is decided and u8 afterwards.

    Where a layer came from is its location: the ONNX nodes in order, and in them the names of the model's tensors
    that its results are, with the order of their axes where that differs.
  }];
  let dependentDialects = ["::mlir::quant::QuantDialect"];
  let useDefaultAttributePrinterParser = 1;
}

// Functions and kinds have the enumerator names of the instruction set. The generated printer puts a space in
// front of an attribute, so the assembly format of an operation that begins with one must not add another.
class Layer_Kind<string name, string attributeMnemonic, string type> : AttrDef<Layer_Dialect, name> {
  let mnemonic = attributeMnemonic;
  let parameters = (ins type:$value);
  let assemblyFormat = "$value";
}
def Layer_BinaryKind : Layer_Kind<"BinaryKind", "binary_kind", "::tilerig::BinaryFunction">;
def Layer_PoolKind : Layer_Kind<"PoolKind", "pool_kind", "::tilerig::PoolFunction">;
def Layer_ReduceKind : Layer_Kind<"ReduceKind", "reduce_kind", "::tilerig::ReduceFunction">;
def Layer_ResizeKind : Layer_Kind<"ResizeKind", "resize_kind", "::tilerig::ResizeMode">;
def Layer_NormalizeKind : Layer_Kind<"NormalizeKind", "normalize_kind", "::tilerig::NormalizeMode">;

def Layer_Function : AttrDef<Layer_Dialect, "Function"> {
  let summary = "a function of one float with its parameters: <relu>, <clip 0.0, 6.0>";
  let mnemonic = "function";
  let parameters = (ins "::tilerig::UnaryFunction":$kind, APFloatParameter<"first parameter">:$alpha,
                        APFloatParameter<"second parameter">:$beta);
  let hasCustomAssemblyFormat = 1;
  let skipDefaultBuilders = 1;
  let builders = [AttrBuilder<(ins "::tilerig::UnaryFunction":$kind, CArg<"float", "0">:$alpha,
                                   CArg<"float", "0">:$beta), [{
    return $_get($_ctxt, kind, ::llvm::APFloat(alpha), ::llvm::APFloat(beta));
  }]>];
}

defvar Layer_Tensor = AnyStaticShapeTensor;
defvar Layer_OptionalTensor = Optional<AnyStaticShapeTensor>;

class Layer_Op<string mnemonic, list<Trait> traits = []>
    : Op<Layer_Dialect, mnemonic, !listconcat([Pure], traits)> {
  let hasVerifier = 1;
}

// Layer with one result, computed in fp32 and passed through an optional function before it is stored.
class Layer_Finished<string mnemonic, dag operands, dag attributes, list<Trait> traits = []>
    : Layer_Op<mnemonic, traits> {
  let arguments = !con(operands, attributes, (ins OptionalAttr<Layer_Function>:$function));
  let results = (outs Layer_Tensor:$output);
}

#endif // TILERIG_LAYER_BASE
