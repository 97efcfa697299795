// The dialect `isa`: the structure of a program as operations. Instructions are defined in isa/Instructions.
#ifndef TILERIG_ISA_OPS
#define TILERIG_ISA_OPS

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"

def Isa_Dialect : Dialect {
  let name = "isa";
  let cppNamespace = "::tilerig::compiler::isa";
  let summary = "programs: stages, tiles, and one operation for each instruction";
  let description = [{
    `isa.program` holds all that a program file does. Instructions are operations of the same names and with the same
    operands as in assembly text, made of the tables of isa/Instructions (InstructionOp.h). What protobuf states is a
    dictionary with protobuf's names (Messages.h).

    The location of an instruction is that of its layer: the ONNX nodes.
  }];
}

class Isa_Op<string mnemonic, list<Trait> traits = []> : Op<Isa_Dialect, mnemonic, traits>;

def Isa_ProgramOp : Isa_Op<"program", [SingleBlock, NoTerminator, NoRegionArguments, IsolatedFromAbove]> {
  let summary = "a program for one machine";
  let description = [{
    `machine` is the name of a built-in machine, or a description as JSON. With `ranges`, the ranges of instructions
    that belong together are those that follow from the instructions; else they are what `about` says.
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
  let summary = "what is known about a layer; instructions name it by its number";
  let arguments = (ins I32Attr:$number, StrAttr:$name, DictionaryAttr:$about);
  let assemblyFormat = "$number $name $about attr-dict";
}

def Isa_ConstantOp : Isa_Op<"constant", [HasParent<"ProgramOp">]> {
  let summary = "bytes that stand in DDR from the load on";
  let arguments = (ins I64Attr:$address, ElementsAttr:$bytes);
  let assemblyFormat = "`ddr` `[` custom<Address>($address) `]` $bytes attr-dict";
  let hasVerifier = 1;
}

def Isa_TensorOp : Isa_Op<"tensor", [HasParent<"ProgramOp">]> {
  let summary = "where a tensor of the model lies";
  let arguments = (ins StrAttr:$name, DictionaryAttr:$about);
  let assemblyFormat = "$name $about attr-dict";
}

def Isa_StageOp : Isa_Op<"stage", [SingleBlock, NoTerminator, NoRegionArguments, HasParent<"ProgramOp">]> {
  let summary = "a part of a program that ends before the next begins";
  let description = "Either one `isa.host`, or one `isa.tile` for each tile that does anything.";
  let arguments = (ins StrAttr:$name, StrAttr:$phase);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$name custom<Phase>($phase) $body attr-dict";
  let hasVerifier = 1;
}

def Isa_HostOp : Isa_Op<"host", [HasParent<"StageOp">]> {
  let summary = "an operator that a kernel of the host carries out";
  let arguments = (ins StrAttr:$kernel, DictionaryAttr:$about);
  let assemblyFormat = "$kernel $about attr-dict";
}

def Isa_TileOp : Isa_Op<"tile", [SingleBlock, NoRegionArguments, HasParent<"StageOp">]> {
  let summary = "the instructions of a tile in a stage; the last is `isa.halt`";
  let arguments = (ins I32Attr:$tile);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$tile $body attr-dict";
  let hasRegionVerifier = 1;
}

#endif // TILERIG_ISA_OPS
