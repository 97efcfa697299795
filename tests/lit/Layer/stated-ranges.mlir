// decide-precision takes the ranges that a module states as attributes, and needs no calibration.

// RUN: split-file %s %t
// RUN: tilerig-opt %t/stated.mlir -decide-precision=precision=int8 | FileCheck %s
// CHECK: func.func @main(%[[X:.*]]: tensor<2x2xf32> {graph.name = "x"})
// CHECK: %[[IN:.*]] = layer.activate %[[X]] {{.*}} -> tensor<2x2x!quant.uniform<i8:f32, 7.812500e-03>>
// CHECK: %[[Y:.*]] = layer.matmul %[[IN]], %{{.*}} {layer.precision = "int8"} {{.*}} -> tensor<2x1x!quant.uniform<i8:f32, 6.250000e-02:-128>>
// CHECK: layer.activate %[[Y]]

// RUN: not tilerig-opt %t/some.mlir -decide-precision=precision=int8 2>&1 | FileCheck %s --check-prefix=SOME
// SOME: dense: the module states ranges, but none for this tensor

// RUN: not tilerig-opt %t/positive.mlir -decide-precision=precision=int8 2>&1 | FileCheck %s --check-prefix=POSITIVE
// POSITIVE: dense: the stated range 1 ... 2 is not finite, or does not contain 0

//--- stated.mlir
func.func @main(%x: tensor<2x2xf32> {graph.name = "x", layer.ranges = array<f32: -1.0, 0.9921875>}) -> (tensor<2x1xf32> {graph.name = "y"}) {
  %w = layer.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32> as tensor<1x2xf32> loc("w")
  %y = layer.matmul %x, %w {layer.ranges = [array<f32: 0.0, 15.9375>]} : (tensor<2x2xf32>, tensor<1x2xf32>) -> tensor<2x1xf32> loc("dense"("y"))
  return %y : tensor<2x1xf32>
}
//--- some.mlir
func.func @main(%x: tensor<2x2xf32> {graph.name = "x", layer.ranges = array<f32: -1.0, 0.9921875>}) -> (tensor<2x1xf32> {graph.name = "y"}) {
  %w = layer.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32> as tensor<1x2xf32> loc("w")
  %y = layer.matmul %x, %w : (tensor<2x2xf32>, tensor<1x2xf32>) -> tensor<2x1xf32> loc("dense"("y"))
  return %y : tensor<2x1xf32>
}
//--- positive.mlir
func.func @main(%x: tensor<2x2xf32> {graph.name = "x", layer.ranges = array<f32: -1.0, 0.9921875>}) -> (tensor<2x1xf32> {graph.name = "y"}) {
  %w = layer.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32> as tensor<1x2xf32> loc("w")
  %y = layer.matmul %x, %w {layer.ranges = [array<f32: 1.0, 2.0>]} : (tensor<2x2xf32>, tensor<1x2xf32>) -> tensor<2x1xf32> loc("dense"("y"))
  return %y : tensor<2x1xf32>
}
