// The dialect `layer`: the layers of a network, each of which the accelerator or the host computes as a unit.
#ifndef TILERIG_LAYER_BASE
#define TILERIG_LAYER_BASE

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Layer_Dialect : Dialect {
  let name = "layer";
  let cppNamespace = "::tilerig::compiler::layer";
  let summary = "fused layers of the accelerator, and operators that run on the host";
  let description = [{
    One operation for each layer of the accelerator, with its epilogue: bias, addend and function. The axes of images
    are batch, rows, columns, channels. The element type states the precision: a float type, or `quant.uniform` with
    scale and zero point (i8, u8, or i16<-256:255>, the machine's i9). Plain integers, such as indices, are i32.
    Booleans are i1 before precisions are decided and u8 afterwards.

    The location of a layer lists the ONNX nodes from which it was formed and the tensors of the model that are its
    results, with the order of axes if it differs from the model's (see Origins.h of the dialect `graph`).
  }];
  let dependentDialects = ["::mlir::quant::QuantDialect"];
  let useDefaultAttributePrinterParser = 1;
}

// Attributes that hold an enumerator of the instruction set (isa/Instructions) and are printed as the
// enumerator's name. An assembly format that begins with such an attribute starts with an empty literal (``),
// because otherwise two spaces would be printed.
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
  let summary = "a unary function on floats with its parameters, for example <relu> or <clip 0.0, 6.0>";
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
