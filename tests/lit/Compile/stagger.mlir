// --stagger: delays before the first DDR reads, in assembly, in the text of level tile and in the emulator.
// RUN: tilerig-compile %s --from layer --machine tiny --tiles 4 --stagger 100 --emit asm -o %t.trasm
// RUN: FileCheck %s < %t.trasm
// RUN: tilerig-compile %s --from layer --machine tiny --tiles 4 --stagger 100 -o %t.trb
// RUN: tilerig-inspect %t.trb --delays | FileCheck %s --check-prefix=LIST
// RUN: tilerig-compile %s --from layer --machine tiny --tiles 4 --stagger 100 --emit tile -o %t.tile.mlir
// RUN: tilerig-compile %t.tile.mlir --from tile -o %t.tile.trb && cmp %t.trb %t.tile.trb

// Each tile's first read starts 100 cycles after that of the previous tile, on the tile's own engine.
// CHECK-DAG: delay {{.*}}engine=dma_in id=0
// CHECK-DAG: delay {{.*}}engine=dma_in id=1 cycles=100
// CHECK-DAG: delay {{.*}}engine=dma_in id=2 cycles=200
// CHECK-DAG: delay {{.*}}engine=dma_in id=3 cycles=300
// LIST: Delays (can be changed with tilerig run --delay): 4
// LIST: {{ }}300  part 0

// Changing the cycles of a delay changes the time of a run, but not its outputs.
// RUN: tilerig-run %t.trb -o %t.1.npz --mode timed --stats %t.json
// RUN: tilerig-run %t.trb -o %t.2.npz --mode timed --delay 0=9999 --delay 3=0
// RUN: tilerig-run %t.trb -o %t.3.npz --mode timed --delays-from %t.json
// RUN: tilerig-run %t.trb -o %t.4.npz
// RUN: cmp %t.1.npz %t.2.npz && cmp %t.1.npz %t.3.npz && cmp %t.1.npz %t.4.npz
// RUN: FileCheck %s --check-prefix=STATS < %t.json
// STATS: "content_hash"
// STATS: "contention_cycles"

// Without --stagger the program has no delays.
// RUN: tilerig-compile %s --from layer --machine tiny --tiles 4 -o %t.none.trb
// RUN: tilerig-inspect %t.none.trb --delays | FileCheck %s --check-prefix=NONE
// NONE: Delays: none

// RUN: not tilerig-run %t.none.trb --mode timed --delays-from %t.json 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: .json: the delays were measured on another program, or at another --ddr-base; measure this program first
// RUN: not tilerig-compile %s --from layer --machine tiny --tiles 4 --stagger 4000000000 -o %t.no 2>&1 | FileCheck %s --check-prefix=FAR
// FAR: stagger: tile {{[0-9]}} would wait 8000000000 cycles, more than a delay can hold; give fewer cycles
// RUN: not tilerig-compile %s --from layer --stagger 100 --emit layer -o %t.no 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: --stagger: this option has an effect only on programs, but this command writes none; use -o model.trb without --emit

module @network {
  func.func @main(%x: tensor<8x64x8x8xf32> {graph.name = "x"}) -> (tensor<8x64x8x8xf32> {graph.name = "y"}) {
    %y = layer.activate by <relu> %x : (tensor<8x64x8x8xf32>) -> tensor<8x64x8x8xf32>
    return %y : tensor<8x64x8x8xf32>
  }
}
