// The dialect `tile`: the tasks of all tiles, the buffers that they access, and their synchronisation, before
// each tile gets its list of instructions.
#ifndef TILERIG_TILE_OPS
#define TILERIG_TILE_OPS

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpAsmInterface.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::tilerig::compiler::tile";
  let summary = "tasks of tiles (computation and transfers) on buffers with addresses, and their synchronisation";
  let description = [{
    These operations are part of an `isa.program`: buffers are listed beside its layers and tensors, and each stage of
    the accelerator contains a `tile.sequence` in place of `isa.tile` operations. A sequence lists the tasks of all
    tiles in an order in which every task follows the tasks that it depends on. Tasks run in this order only where
    a synchronisation operation between them states for which task it waits. Lowering to the dialect `isa`
    (LowerToIsa.cpp) assigns semaphores and writes the instruction list of each tile.
  }];
  let useDefaultTypePrinterParser = 1;
}

class Tile_Type<string name, string typeMnemonic> : TypeDef<Tile_Dialect, name> {
  let mnemonic = typeMnemonic;
}
def Tile_Buffer : Tile_Type<"Buffer", "buffer"> {
  let summary = "a range of bytes at one address of DDR, or at the same address of the OCM of each tile";
}
def Tile_Done : Tile_Type<"Done", "done"> {
  let summary = "the end of a task, for which synchronisation operations wait";
}

class Tile_Op<string mnemonic, list<Trait> traits = []> : Op<Tile_Dialect, mnemonic, traits>;

def Tile_BufferOp : Tile_Op<"buffer", [HasParent<"::tilerig::compiler::isa::ProgramOp">,
                                       DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "a buffer, with the range of time steps of the plan in which it holds data";
  let description = [{
    ```mlir
    %x = tile.buffer "x" ddr[0x0] 32 bytes
    %in = tile.buffer "x.part" ocm[0x40] 32 bytes time_steps [0, 1]
    ```
  }];
  let arguments = (ins StrAttr:$name, StrAttr:$space, I64Attr:$address, I64Attr:$sizeBytes,
                       OptionalAttr<DenseI64ArrayAttr>:$timeSteps);
  let results = (outs Tile_Buffer:$buffer);
  let assemblyFormat = [{
    $name custom<Word>($space) `[` custom<Address>($address) `]` $sizeBytes `bytes` (`time_steps` $timeSteps^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Tile_SequenceOp : Tile_Op<"sequence", [SingleBlock, NoTerminator, NoRegionArguments,
                                           HasParent<"::tilerig::compiler::isa::StageOp">]> {
  let summary = "the tasks of all tiles in a stage, and the synchronisation between them";
  let description = [{
    ```mlir
    tile.sequence {
      %loaded = tile.load on 0 reads(%x) writes(%in) { isa.load … }
      tile.sync %loaded on 0 pe
      %computed = tile.compute on 0 reads(%in) writes(%out) { isa.activate … }
      tile.sync %computed on 0 dma_out
      %stored = tile.store on 0 reads(%out) writes(%y) { isa.store … }
    }
    ```
  }];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$body attr-dict";
  let hasRegionVerifier = 1;
}

// --- Tasks ---

def Tile_Task : OpInterface<"Task"> {
  let cppNamespace = "::tilerig::compiler::tile";
  let description = "An instruction of a tile with the buffers that it reads and writes.";
  let methods = [
    InterfaceMethod<"the tile that runs the task", "uint32_t", "getTile">,
    InterfaceMethod<"the buffers that the task reads", "::mlir::OperandRange", "getReads">,
    InterfaceMethod<"the buffers that the task writes", "::mlir::OperandRange", "getWrites">,
    InterfaceMethod<"tiles that get a signal at the end of the task", "::std::optional<::llvm::ArrayRef<int32_t>>", "getSignals">,
    InterfaceMethod<"the region that contains the instruction", "::mlir::Region &", "getBody">,
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

def Tile_ComputeOp : Tile_TaskOp<"compute"> { let summary = "the POD or the PE computes values"; }
def Tile_MoveOp : Tile_TaskOp<"move"> { let summary = "the PE copies values within the memory of its tile"; }
def Tile_LoadOp : Tile_TaskOp<"load"> {
  let summary = "transfer from DDR, or from another tile, to the task's tile";
}
def Tile_StoreOp : Tile_TaskOp<"store"> { let summary = "transfer from the task's tile to DDR"; }
def Tile_GatherOp : Tile_TaskOp<"gather"> {
  let summary = "transfer of rows, selected by a tensor of indices, to the task's tile";
}
def Tile_MarkOp : Tile_TaskOp<"mark"> { let summary = "a marker or a delay, without effect on data"; }

// A transfer to other tiles. `purpose` states why they need the data: halo (a margin around their own part),
// gather (the whole tensor) or rebalance (a part, although they compute none).
class Tile_SharingOp<string mnemonic> : Tile_TaskOp<mnemonic> {
  let arguments = (ins I32Attr:$tile, OptionalAttr<StrAttr>:$purpose, Variadic<Tile_Buffer>:$reads,
                       Variadic<Tile_Buffer>:$writes, OptionalAttr<DenseI32ArrayAttr>:$signals);
  let assemblyFormat = [{
    `on` $tile (`for` custom<Word>($purpose)^)? (`reads` `(` $reads^ `)`)? (`writes` `(` $writes^ `)`)?
    (`signals` custom<TileSet>($signals)^)? $body attr-dict
  }];
}
def Tile_SendOp : Tile_SharingOp<"send"> { let summary = "transfer from the task's tile to another tile"; }
def Tile_MulticastOp : Tile_SharingOp<"multicast"> {
  let summary = "transfer from DDR, or from the task's tile, to several tiles";
}

// An operation that synchronises tasks: it delays the task that follows it in the sequence.
class Tile_SyncOp<string mnemonic> : Tile_Op<mnemonic, [HasParent<"SequenceOp">]>;

def Tile_WaitOp : Tile_SyncOp<"wait"> {
  let summary = "an engine waits for the signal that another tile sends at the end of a task";
  let description = [{
    ```mlir
    %sent = tile.send on 0 for halo reads(%a) writes(%b) signals {1} { isa.store … }
    tile.wait %sent on 1 dma_out
    ```
  }];
  let arguments = (ins Tile_Done:$source, I32Attr:$tile, StrAttr:$engine);
  let assemblyFormat = "$source `on` $tile custom<Word>($engine) attr-dict";
}
def Tile_LocalSyncOp : Tile_SyncOp<"sync"> {
  let summary = "an engine, or the sequencer, waits for the end of a task of the same tile";
  let arguments = (ins Tile_Done:$source, I32Attr:$tile, StrAttr:$engine);
  let assemblyFormat = "$source `on` $tile custom<Word>($engine) attr-dict";
}
def Tile_RelayOp : Tile_SyncOp<"relay"> {
  let summary = "an engine waits until an engine of another tile has finished all its tasks so far";
  let description = [{
    ```mlir
    tile.relay 7 pe to 1 pe
    ```
  }];
  let arguments = (ins I32Attr:$fromTile, StrAttr:$fromEngine, I32Attr:$tile, StrAttr:$engine);
  let assemblyFormat = "$fromTile custom<Word>($fromEngine) `to` $tile custom<Word>($engine) attr-dict";
}
def Tile_BarrierOp : Tile_SyncOp<"barrier"> {
  let summary = "all engines of the given tiles wait for each other";
  let arguments = (ins DenseI32ArrayAttr:$tiles);
  let assemblyFormat = "custom<TileSet>($tiles) attr-dict";
}

#endif // TILERIG_TILE_OPS
