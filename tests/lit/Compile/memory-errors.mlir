// RUN: split-file %s %t

// A sum over all axes reads its whole operand at once.
// RUN: not tilerig-compile %t/ocm.mlir --from graph --precision fp16 --machine tr64 -o %t.trb 2>&1 | FileCheck %s --check-prefix=OCM
// OCM: layer 'sum': needs {{[0-9]+}} bytes of a tile's OCM at a time, but a tile of machine 'tr64' has 1048576; use a smaller batch, a precision of fewer bits, or a machine with a larger OCM

// This operand is also larger than the DDR.
// RUN: not tilerig-compile %t/ddr.mlir --from graph --precision fp16 --machine tr64 -o %t.trb 2>&1 | FileCheck %s --check-prefix=DDR
// DDR: layer 'sum': reads tensor 'wide.value' of 34359738368 bytes, but the DDR of machine 'tr64' has 8589934592 and the OCM of a tile has 1048576; use a smaller batch, a precision of fewer bits, or a machine with more memory

//--- ocm.mlir
module @network {
  func.func @main(%x: tensor<1x4096xf32> {graph.name = "x"}) -> (tensor<1x1xf32> {graph.name = "y"}) {
    %wide = graph.expand %x : (tensor<1x4096xf32>) -> tensor<4096x4096xf32> loc("wide")
    %sum = graph.reduce_sum %wide {axes = array<i64: 0, 1>, keepdims} : (tensor<4096x4096xf32>) -> tensor<1x1xf32> loc("sum")
    return %sum : tensor<1x1xf32>
  }
}

//--- ddr.mlir
module @network {
  func.func @main(%x: tensor<1x131072xf32> {graph.name = "x"}) -> (tensor<1x1xf32> {graph.name = "y"}) {
    %wide = graph.expand %x : (tensor<1x131072xf32>) -> tensor<131072x131072xf32> loc("wide")
    %sum = graph.reduce_sum %wide {axes = array<i64: 0, 1>, keepdims} : (tensor<131072x131072xf32>) -> tensor<1x1xf32> loc("sum")
    return %sum : tensor<1x1xf32>
  }
}
