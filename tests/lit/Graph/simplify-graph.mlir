// RUN: tilerig-opt %s -simplify-graph -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s
// RUN: tilerig-opt %s -simplify-graph=without=use-channels-last,fuse-silu | FileCheck %s --check-prefix=WITHOUT
// RUN: not tilerig-opt %s -simplify-graph=without=fuse-everything 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// UNKNOWN: there is no pass 'fuse-everything' to leave out

// Pad, convolution, normalisation and gate are one convolution and one function; one transpose is left, at the input.
// CHECK-LABEL: func.func @main
// CHECK: graph.transpose %arg0 {perm = array<i64: 0, 2, 3, 1>} {{.*}} loc({{.*}}"x"
// CHECK-NEXT: %[[C:.*]] = graph.conv {{.*}}pads = array<i64: 1, 1, 1, 1>{{.*}} loc(fused["pad"("p"), "conv"("c"), "norm"(fused<#graph.order<[0, 3, 1, 2]>>["n"])])
// CHECK-NEXT: %[[S:.*]] = graph.silu %[[C]] {{.*}} loc(fused["sigmoid"("s"), "gate"(fused<#graph.order<[0, 3, 1, 2]>>["g"])])
// CHECK-NEXT: %[[P:.*]] = graph.global_average_pool %[[S]]
// CHECK-NEXT: %[[Y:.*]] = graph.reshape %[[P]] {{.*}} -> tensor<1x2xf32>
// CHECK-NEXT: return %[[Y]]

// WITHOUT-NOT: graph.transpose
// WITHOUT: graph.sigmoid
func.func @main(%x: tensor<1x3x4x4xf32> loc("x")) -> tensor<1x2xf32> {
  %w = graph.constant dense<1.0> : tensor<2x3x3x3xf32>
  %p = graph.constant dense<1.0> : tensor<2xf32>
  %x0 = graph.pad %x {pads = array<i64: 0, 0, 1, 1, 0, 0, 1, 1>, mode = 0 : i32} : (tensor<1x3x4x4xf32>) -> tensor<1x3x6x6xf32> loc("pad"("p"))
  %c = graph.conv %x0, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
    : (tensor<1x3x6x6xf32>, tensor<2x3x3x3xf32>) -> tensor<1x2x4x4xf32> loc("conv"("c"))
  %n = graph.batch_norm %c, %p, %p, %p, %p {epsilon = 1.0e-5 : f32}
    : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32> loc("norm"("n"))
  %s = graph.sigmoid %n : tensor<1x2x4x4xf32> loc("sigmoid"("s"))
  %g = graph.mul %n, %s : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> loc("gate"("g"))
  %m = graph.reduce_mean %g {axes = array<i64: 2, 3>} : (tensor<1x2x4x4xf32>) -> tensor<1x2xf32> loc("mean"("m"))
  return %m : tensor<1x2xf32>
}
