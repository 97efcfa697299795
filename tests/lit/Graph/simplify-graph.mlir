// RUN: tilerig-opt %s -simplify-graph -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s
// RUN: tilerig-opt %s -simplify-graph=without=use-channels-last,fuse-silu | FileCheck %s --check-prefix=WITHOUT
// RUN: not tilerig-opt %s -simplify-graph=without=fuse-everything 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// UNKNOWN: there is no pass 'fuse-everything' to leave out

// Pad, convolution, normalisation and gate become a convolution and a function; one transpose is left, at the
// input.
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

// A U-Net is computed with channels last from input to output: one transpose is left at its input and one at
// its output.
// CHECK-LABEL: func.func @unet
// CHECK: graph.transpose %arg0 {perm = array<i64: 0, 2, 3, 1>}
// CHECK-NOT: graph.transpose
// CHECK: graph.resize {{.*}} (tensor<1x4x4x4xf32>) -> tensor<1x8x8x4xf32>
// CHECK-NOT: graph.transpose
// CHECK: %[[Y:.*]] = graph.conv {{.*}} -> tensor<1x8x8x2xf32>
// CHECK-NEXT: %[[T:.*]] = graph.transpose %[[Y]] {perm = array<i64: 0, 3, 1, 2>}
// CHECK-NEXT: return %[[T]]
func.func @unet(%x: tensor<1x3x8x8xf32>, %u: tensor<4x3x1x1xf32>, %v: tensor<4x4x1x1xf32>, %w: tensor<2x8x1x1xf32>)
    -> tensor<1x2x8x8xf32> {
  %a = graph.conv %x, %u {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
    : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
  %p = graph.max_pool %a {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>}
    : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
  %b = graph.conv %p, %v {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
    : (tensor<1x4x4x4xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x4x4xf32>
  %r = graph.resize %b {scales = array<f32: 1.0, 1.0, 2.0, 2.0>, sizes = array<i64>, mode = 1 : i32, coordinates = 0 : i32, nearest = 0 : i32, policy = 0 : i32, region = array<f32>, cubicCoefficient = -0.75 : f32, extrapolation = 0.0 : f32}
    : (tensor<1x4x4x4xf32>) -> tensor<1x4x8x8xf32>
  %j = graph.concat %r, %a {axis = 1 : i64} : (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<1x8x8x8xf32>
  %y = graph.conv %j, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
    : (tensor<1x8x8x8xf32>, tensor<2x8x1x1xf32>) -> tensor<1x2x8x8xf32>
  return %y : tensor<1x2x8x8xf32>
}
