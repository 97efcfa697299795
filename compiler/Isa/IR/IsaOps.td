// The dialect `isa`: a program as MLIR operations. This file has the operations around the instructions; the
// operations for instructions are derived from isa/Instructions (see InstructionOp.h).
#ifndef TILERIG_ISA_OPS
#define TILERIG_ISA_OPS

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"

def Isa_Dialect : Dialect {
  let name = "isa";
  let cppNamespace = "::tilerig::compiler::isa";
  let summary = "programs: stages, tiles, and one operation for each instruction";
  let description = [{
    `isa.program` has the same contents as a program file. Instructions are operations with the names and operands of
    assembly text; they are derived from the field tables of isa/Instructions (InstructionOp.h). Metadata, which a
    program file stores as protobuf messages, are dictionary attributes with the same field names (Messages.h).

    The location of an instruction is the location of its layer: the ONNX nodes from which the layer was formed.
  }];
}

class Isa_Op<string mnemonic, list<Trait> traits = []> : Op<Isa_Dialect, mnemonic, traits>;

def Isa_ProgramOp : Isa_Op<"program", [SingleBlock, NoTerminator, NoRegionArguments, IsolatedFromAbove]> {
  let summary = "a program for one machine";
  let description = [{
    `machine` is the name of a built-in machine, or a machine description in JSON. `about` holds the metadata of the
    program. The metadata include ranges of instructions that belong together; with `ranges`, these are not stored, but
    computed from the instructions.
  }];
  let arguments = (ins StrAttr:$name, StrAttr:$machine, I32Attr:$tiles, UnitAttr:$ranges,
                       OptionalAttr<DictionaryAttr>:$about);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $name `on` $machine `tiles` $tiles (`ranges` $ranges^)? (`about` $about^)? $body attr-dict
  }];
  let hasRegionVerifier = 1;
}

def Isa_LayerOp : Isa_Op<"layer", [HasParent<"ProgramOp">]> {
  let summary = "number, name and metadata of a layer; instructions refer to the layer by its number";
  let arguments = (ins I32Attr:$number, StrAttr:$name, DictionaryAttr:$about);
  let assemblyFormat = "$number $name $about attr-dict";
}

def Isa_ConstantOp : Isa_Op<"constant", [HasParent<"ProgramOp">]> {
  let summary = "constant bytes that are in DDR when the program starts";
  let arguments = (ins I64Attr:$address, ElementsAttr:$bytes);
  let assemblyFormat = "`ddr` `[` custom<Address>($address) `]` $bytes attr-dict";
  let hasVerifier = 1;
}

def Isa_TensorOp : Isa_Op<"tensor", [HasParent<"ProgramOp">]> {
  let summary = "name, address and type of a tensor of the model";
  let arguments = (ins StrAttr:$name, DictionaryAttr:$about);
  let assemblyFormat = "$name $about attr-dict";
}

def Isa_StageOp : Isa_Op<"stage", [SingleBlock, NoTerminator, NoRegionArguments, HasParent<"ProgramOp">]> {
  let summary = "a section of a program that ends before the next section begins";
  let description = "Contains either one `isa.host`, or one `isa.tile` for each tile that has instructions in the stage.";
  let arguments = (ins StrAttr:$name, StrAttr:$phase);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$name custom<Phase>($phase) $body attr-dict";
  let hasVerifier = 1;
}

def Isa_HostOp : Isa_Op<"host", [HasParent<"StageOp">]> {
  let summary = "an ONNX operator that runs on the host; kernel: the host's implementation of it";
  let arguments = (ins StrAttr:$kernel, DictionaryAttr:$about);
  let assemblyFormat = "$kernel $about attr-dict";
}

def Isa_TileOp : Isa_Op<"tile", [SingleBlock, NoRegionArguments, HasParent<"StageOp">]> {
  let summary = "the instructions of one tile in a stage; the last one is `isa.halt`";
  let arguments = (ins I32Attr:$tile);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$tile $body attr-dict";
  let hasRegionVerifier = 1;
}

#endif // TILERIG_ISA_OPS
