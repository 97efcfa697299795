// The whole pipeline from text: tilerig-opt goes from `graph` to `isa` and computes the same program as the compiler.
// RUN: tilerig-compile %s --from graph --precision fp16 --tiles 2 -o %t.trb
// RUN: tilerig-opt %s --lower-to-instructions="precision=fp16 tiles=2 name=pipeline" -mlir-print-debuginfo -o %t.isa.mlir
// RUN: tilerig-compile %t.isa.mlir --from isa -o %t.opt.trb && cmp %t.trb %t.opt.trb
// RUN: FileCheck %s --check-prefix=ISA < %t.isa.mlir

// The same phases, pass by pass; the text of level `tile` is the one that the compiler emits.
// RUN: tilerig-opt %s -mlir-print-debuginfo -o %t.tile.mlir --pass-pipeline="builtin.module(lower-to-layers,decide-precision{precision=fp16},func.func(quantise-edges,canonicalize,cse,partition-layers,place-layers),lower-to-tile{tiles=2 name=pipeline})"
// RUN: tilerig-compile %s --from graph --precision fp16 --tiles 2 --emit tile -o %t.emitted.mlir && cmp %t.tile.mlir %t.emitted.mlir
// RUN: tilerig-compile %t.tile.mlir --from tile -o %t.tile.trb && cmp %t.trb %t.tile.trb

// ISA: isa.program "pipeline" on "tr64" tiles 2
// ISA-NOT: tile.
// ISA: isa.halt

// RUN: not tilerig-opt %s --lower-to-instructions="precision=fp17" 2>&1 | FileCheck %s --check-prefix=PRECISION
// PRECISION: 'fp17' is neither a precision nor a file; did you mean 'fp16'?
// RUN: not tilerig-opt %s --lower-to-instructions="machine=tr65" 2>&1 | FileCheck %s --check-prefix=MACHINE
// MACHINE: there is no machine "tr65"
// RUN: not tilerig-opt %s --lower-to-instructions="tiles=65" 2>&1 | FileCheck %s --check-prefix=TILES
// TILES: the machine 'tr64' has only 64 tiles, but 65 are requested
// RUN: not tilerig-opt %s --lower-to-instructions="strategy=%t.none.json" 2>&1 | FileCheck %s --check-prefix=STRATEGY
// STRATEGY: .none.json: cannot open: No such file or directory
// RUN: not tilerig-opt %s --pass-pipeline="builtin.module(lower-to-layers,func.func(quantise-edges{inputs=int9}))" 2>&1 | FileCheck %s --check-prefix=EDGES
// EDGES: quantise-edges{inputs}: there is no quantised type 'int9'; write int8 or uint8

module @network {
  func.func @main(%x: tensor<2x3xf32> {graph.name = "x"}) -> (tensor<2x2xf32> {graph.name = "y"}) {
    %w = graph.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
    %p = graph.matmul %x, %w : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
    %y = graph.relu %p : tensor<2x2xf32>
    return %y : tensor<2x2xf32>
  }
}
