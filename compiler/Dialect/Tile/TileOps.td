// The dialect `tile`: tasks of tiles over buffers with their synchronisation, before they become instruction
// lists.
#ifndef TILERIG_TILE_OPS
#define TILERIG_TILE_OPS

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpAsmInterface.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::tilerig::compiler::tile";
  let summary = "compute, communication and synchronisation of tiles, over buffers with addresses";
  let description = [{
    Stands inside an `isa.program`: buffers beside its layers and tensors, and in each stage of the device a
    `tile.sequence` in place of `isa.tile`. A sequence has the tasks of all tiles, in an order in which each comes
    behind all that it depends on; what of that order is kept is said by the synchronisation between them, by the
    tasks that it waits for. Semaphores and lists of instructions follow (ExpandTiles.cpp).
  }];
  let useDefaultTypePrinterParser = 1;
}

class Tile_Type<string name, string typeMnemonic> : TypeDef<Tile_Dialect, name> {
  let mnemonic = typeMnemonic;
}
def Tile_Buffer : Tile_Type<"Buffer", "buffer"> {
  let summary = "bytes at one address of the DDR, or of the OCM of each tile";
}
def Tile_Done : Tile_Type<"Done", "done"> {
  let summary = "that a task has ended";
}

class Tile_Op<string mnemonic, list<Trait> traits = []> : Op<Tile_Dialect, mnemonic, traits>;

def Tile_BufferOp : Tile_Op<"buffer", [HasParent<"::tilerig::compiler::isa::ProgramOp">,
                                       DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "a buffer, and the turns of the plan in which it holds something";
  let arguments = (ins StrAttr:$name, StrAttr:$space, I64Attr:$address, I64Attr:$sizeBytes,
                       OptionalAttr<DenseI64ArrayAttr>:$turns);
  let results = (outs Tile_Buffer:$buffer);
  let assemblyFormat = [{
    $name custom<Word>($space) `[` custom<Address>($address) `]` $sizeBytes `bytes` (`turns` $turns^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Tile_SequenceOp : Tile_Op<"sequence", [SingleBlock, NoTerminator, NoRegionArguments,
                                           HasParent<"::tilerig::compiler::isa::StageOp">]> {
  let summary = "the tasks of all tiles in a stage, and what keeps them apart";
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$body attr-dict";
  let hasRegionVerifier = 1;
}

// --- Tasks ---

def Tile_Task : OpInterface<"Task"> {
  let cppNamespace = "::tilerig::compiler::tile";
  let description = "An instruction of a tile with the buffers that it reads and writes.";
  let methods = [
    InterfaceMethod<"the tile that has it", "uint32_t", "getTile">,
    InterfaceMethod<"", "::mlir::OperandRange", "getReads">,
    InterfaceMethod<"", "::mlir::OperandRange", "getWrites">,
    InterfaceMethod<"tiles that are told of its end", "::std::optional<::llvm::ArrayRef<int32_t>>", "getSignals">,
    InterfaceMethod<"", "::mlir::Region &", "getBody">,
  ];
}

class Tile_TaskOp<string mnemonic> : Tile_Op<mnemonic, [
    Tile_Task, SingleBlock, NoTerminator, NoRegionArguments, AttrSizedOperandSegments, HasParent<"SequenceOp">,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let arguments = (ins I32Attr:$tile, Variadic<Tile_Buffer>:$reads, Variadic<Tile_Buffer>:$writes,
                       OptionalAttr<DenseI32ArrayAttr>:$signals);
  let results = (outs Tile_Done:$done);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `on` $tile (`reads` `(` $reads^ `)`)? (`writes` `(` $writes^ `)`)? (`signals` custom<TileSet>($signals)^)? $body attr-dict
  }];
}

def Tile_ComputeOp : Tile_TaskOp<"compute"> { let summary = "POD or PE compute values"; }
def Tile_MoveOp : Tile_TaskOp<"move"> { let summary = "the PE brings values to other places of its tile"; }
def Tile_LoadOp : Tile_TaskOp<"load"> { let summary = "from DDR, or from another tile, to the tile"; }
def Tile_StoreOp : Tile_TaskOp<"store"> { let summary = "from the tile to DDR"; }
def Tile_GatherOp : Tile_TaskOp<"gather"> { let summary = "rows that indices name, to the tile"; }
def Tile_MarkOp : Tile_TaskOp<"mark"> { let summary = "a marker or a delay"; }

class Tile_SharingOp<string mnemonic> : Tile_TaskOp<mnemonic> {
  let arguments = (ins I32Attr:$tile, OptionalAttr<StrAttr>:$purpose, Variadic<Tile_Buffer>:$reads,
                       Variadic<Tile_Buffer>:$writes, OptionalAttr<DenseI32ArrayAttr>:$signals);
  let assemblyFormat = [{
    `on` $tile (`for` custom<Word>($purpose)^)? (`reads` `(` $reads^ `)`)? (`writes` `(` $writes^ `)`)?
    (`signals` custom<TileSet>($signals)^)? $body attr-dict
  }];
}
def Tile_SendOp : Tile_SharingOp<"send"> { let summary = "from the tile to another one"; }
def Tile_MulticastOp : Tile_SharingOp<"multicast"> { let summary = "from DDR or the tile to several tiles"; }

// --- Synchronisation: each operation belongs to the task that follows it ---

class Tile_SyncOp<string mnemonic> : Tile_Op<mnemonic, [HasParent<"SequenceOp">]>;

def Tile_WaitOp : Tile_SyncOp<"wait"> {
  let summary = "an engine goes on when its tile was told that a task has ended";
  let arguments = (ins Tile_Done:$source, I32Attr:$tile, StrAttr:$engine);
  let assemblyFormat = "$source `on` $tile custom<Word>($engine) attr-dict";
}
def Tile_LocalSyncOp : Tile_SyncOp<"sync"> {
  let summary = "an engine, or the sequencer, goes on when a task of the same tile has ended";
  let arguments = (ins Tile_Done:$source, I32Attr:$tile, StrAttr:$engine);
  let assemblyFormat = "$source `on` $tile custom<Word>($engine) attr-dict";
}
def Tile_RelayOp : Tile_SyncOp<"relay"> {
  let summary = "an engine tells another tile's that all that it was given has ended";
  let arguments = (ins I32Attr:$fromTile, StrAttr:$fromEngine, I32Attr:$tile, StrAttr:$engine);
  let assemblyFormat = "$fromTile custom<Word>($fromEngine) `to` $tile custom<Word>($engine) attr-dict";
}
def Tile_BarrierOp : Tile_SyncOp<"barrier"> {
  let summary = "tiles meet, with all their engines";
  let arguments = (ins DenseI32ArrayAttr:$tiles);
  let assemblyFormat = "custom<TileSet>($tiles) attr-dict";
}

#endif // TILERIG_TILE_OPS
