// RUN: tilerig-opt %s -mlir-print-debuginfo | tilerig-opt -mlir-print-debuginfo | FileCheck %s --check-prefix=TILE
// RUN: tilerig-opt %s --pass-pipeline="builtin.module(lower-to-isa)" -mlir-print-debuginfo | FileCheck %s
// RUN: tilerig-compile %s --from tile -o %t.1.trb
// RUN: tilerig-opt %s --pass-pipeline="builtin.module(lower-to-isa)" -mlir-print-debuginfo -o %t.mlir
// RUN: tilerig-compile %t.mlir --from isa -o %t.2.trb && cmp %t.1.trb %t.2.trb

// Tile 0 loads sixteen elements, computes, and sends eight of them to tile 1, which stores them.
isa.program "two" on "tiny" tiles 2 ranges {
  isa.layer 0 "relu" {onnx_nodes = ["node"], where = "accelerator"} loc("node")
  isa.layer 1 "out" {onnx_nodes = ["last"], where = "accelerator"} loc("last")
  isa.tensor "x" {dtype = "float16", shape = [16], stored_type = "fp16", role = "INPUT",
                  pieces = [{ddr = true, extent = [16], begin = [0], stride = [2]}]}
  isa.tensor "y" {dtype = "float16", shape = [8], stored_type = "fp16", role = "OUTPUT", layer = 1,
                  pieces = [{ddr = true, address = 4096, extent = [8], begin = [0], stride = [2]}]}
  %x = tile.buffer "x" ddr[0x0] 32 bytes
  %y = tile.buffer "y" ddr[0x1000] 16 bytes
  %in = tile.buffer "x for relu" ocm[0x0] 32 bytes time_steps [0, 1]
  %out = tile.buffer "relu" ocm[0x40] 32 bytes time_steps [1, 2]
  isa.stage "main" inference {
    tile.sequence {
      %loaded = tile.load on 0 reads(%x) writes(%in) {
        isa.load source=fp16 ddr[0] <16> destination=fp16 ocm[0] <16> loc("node")
      } loc("node")
      tile.sync %loaded on 0 pe loc("node")
      %computed = tile.compute on 0 reads(%in) writes(%out) {
        isa.activate finish={function=relu} input=fp16 ocm[0] <16> output=fp16 ocm[0x40] <16> loc("node")
      } loc("node")
      tile.sync %computed on 0 dma_out
      %sent = tile.send on 0 for halo reads(%out) writes(%out) signals {1} {
        isa.store source=fp16 ocm[0x40] <8> destination=fp16 remote 1[0x40] <8>
      }
      tile.wait %sent on 1 dma_out
      %stored = tile.store on 1 reads(%out) writes(%y) {
        isa.store layer=1 source=fp16 ocm[0x40] <8> destination=fp16 ddr[0x1000] <8>
      }
    }
  }
}

// TILE: %[[B:b.*]] = tile.buffer "x" ddr[0x0] 32 bytes loc
// TILE: tile.buffer "x for relu" ocm[0x0] 32 bytes time_steps [0, 1]
// TILE: tile.sequence {
// TILE-NEXT: %[[T:t.*]] = tile.load on 0 reads(%[[B]]) writes(%b_{{.*}}) {
// TILE-NEXT: isa.load source=fp16 ddr[0x0] <16> destination=fp16 ocm[0x0] <16> loc(#[[NODE:loc.*]])
// TILE-NEXT: } loc(#[[NODE]])
// TILE-NEXT: tile.sync %[[T]] on 0 pe loc(#[[NODE]])
// TILE: %[[SENT:t.*]] = tile.send on 0 for halo reads(%[[OUT:b.*]]) writes(%[[OUT]]) signals {1} {
// TILE: tile.wait %[[SENT]] on 1 dma_out
// TILE: #[[NODE]] = loc("node")

// A signal follows its task; a sync states how many tasks may be unfinished; a wait has the layer and the
// location of the task that waits.
// CHECK-NOT: tile.
// CHECK: isa.tile 0 {
// CHECK-NEXT: isa.load source=fp16 ddr[0x0] <16> destination=fp16 ocm[0x0] <16> loc(#[[NODE:loc.*]])
// CHECK-NEXT: isa.sync engine=pe on=dma_in pending=0 loc(#[[NODE]])
// CHECK-NEXT: isa.activate finish={function=relu} input=fp16 ocm[0x0] <16> output=fp16 ocm[0x40] <16>
// CHECK-NEXT: isa.sync engine=dma_out on=pe pending=0
// CHECK-NEXT: isa.store source=fp16 ocm[0x40] <8> destination=fp16 remote 1[0x40] <8>
// CHECK-NEXT: isa.signal engine=dma_out tile=1 semaphore=0 amount=1
// CHECK-NEXT: isa.halt
// CHECK: isa.tile 1 {
// CHECK-NEXT: isa.wait layer=1 engine=dma_out semaphore=0 value=1 loc(#[[LAST:loc.*]])
// CHECK-NEXT: isa.store layer=1 source=fp16 ocm[0x40] <8> destination=fp16 ddr[0x1000] <8> loc(#[[LAST]])
// CHECK-NEXT: isa.halt layer=1
// CHECK: #[[NODE]] = loc("node")
// CHECK: #[[LAST]] = loc("last")
// CHECK-NOT: tile.
