// RUN: tilerig-opt %s -use-channels-last -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s

// Weights are unchanged; the model's tensor exists in its own order of axes and in the machine's.
// CHECK-LABEL: func.func @convolution
// CHECK: %[[T:.*]] = graph.transpose %arg0 {perm = array<i64: 0, 2, 3, 1>} : {{.*}} -> tensor<1x4x5x3xf32> loc("conv"(fused<#graph.order<[0, 3, 1, 2]>>["x"]))
// CHECK-NEXT: %[[C:.*]] = graph.conv %[[T]], %arg1 {channelsLast, {{.*}}} : (tensor<1x4x5x3xf32>, tensor<2x3x1x1xf32>) -> tensor<1x4x5x2xf32> loc("conv"(fused<#graph.order<[0, 3, 1, 2]>>["y"]))
// CHECK-NEXT: %[[Y:.*]] = graph.transpose %[[C]] {perm = array<i64: 0, 3, 1, 2>} : {{.*}} -> tensor<1x2x4x5xf32> loc("conv"("y"))
// CHECK-NEXT: return %[[Y]]
func.func @convolution(%x: tensor<1x3x4x5xf32> loc("x"), %w: tensor<2x3x1x1xf32>) -> tensor<1x2x4x5xf32> {
  %y = graph.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
    : (tensor<1x3x4x5xf32>, tensor<2x3x1x1xf32>) -> tensor<1x2x4x5xf32> loc("conv"("y"))
  return %y : tensor<1x2x4x5xf32>
}

// CHECK-LABEL: func.func @more
// CHECK: graph.max_pool {{.*}}channelsLast{{.*}} -> tensor<1x4x2x4x8xf32>
// CHECK: graph.batch_norm {{.*}}channelsLast{{.*}} -> tensor<1x4x2x4x8xf32>
// CHECK: graph.global_average_pool {{.*}}channelsLast{{.*}} -> tensor<1x1x1x1x8xf32>
// CHECK: graph.depth_to_space {{.*}}channelsLast{{.*}} -> tensor<1x4x6x2xf32>
func.func @more(%x: tensor<1x8x4x4x4xf32>, %p: tensor<8xf32>, %z: tensor<1x8x2x3xf32>) -> (tensor<1x8x1x1x1xf32>, tensor<1x2x4x6xf32>) {
  %a = graph.max_pool %x {kernel = array<i64: 1, 2, 1>, strides = array<i64: 1, 2, 1>, dilations = array<i64: 1, 1, 1>,
    pads = array<i64: 0, 0, 0, 0, 0, 0>} : (tensor<1x8x4x4x4xf32>) -> tensor<1x8x4x2x4xf32>
  %b = graph.batch_norm %a, %p, %p, %p, %p {epsilon = 1.0e-5 : f32}
    : (tensor<1x8x4x2x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x8x4x2x4xf32>
  %c = graph.global_average_pool %b : (tensor<1x8x4x2x4xf32>) -> tensor<1x8x1x1x1xf32>
  %d = graph.depth_to_space %z {blockSize = 2 : i64} : (tensor<1x8x2x3xf32>) -> tensor<1x2x4x6xf32>
  return %c, %d : tensor<1x8x1x1x1xf32>, tensor<1x2x4x6xf32>
}

// Unchanged: an operation that has channels last already, and one whose operand is not an image.
// CHECK-LABEL: func.func @others
// CHECK-NOT: graph.transpose
func.func @others(%x: tensor<1x4x5x3xf32>, %m: tensor<2x3xf32>, %p: tensor<3xf32>) -> (tensor<1x1x1x3xf32>, tensor<2x3xf32>) {
  %a = graph.global_max_pool %x {channelsLast} : (tensor<1x4x5x3xf32>) -> tensor<1x1x1x3xf32>
  %b = graph.batch_norm %m, %p, %p, %p, %p {epsilon = 1.0e-5 : f32}
    : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %a, %b : tensor<1x1x1x3xf32>, tensor<2x3xf32>
}

// Quantised convolutions are treated like float ones; weights and scales are unchanged.
// CHECK-LABEL: func.func @quantised
// CHECK: %[[T:.*]] = graph.transpose %arg0 {perm = array<i64: 0, 2, 3, 1>}
// CHECK-NEXT: %[[C:.*]] = graph.qlinear_conv %[[T]], {{.*}} {channelsLast, {{.*}} -> tensor<1x4x5x2xui8>
// CHECK-NEXT: graph.transpose %[[C]] {perm = array<i64: 0, 3, 1, 2>}
// CHECK: graph.conv_integer %{{.*}}, %arg1 {channelsLast, {{.*}} : tensor<1x4x5x3xui8>, tensor<2x3x1x1xi8> -> tensor<1x4x5x2xi32>
func.func @quantised(%x: tensor<1x3x4x5xui8>, %w: tensor<2x3x1x1xi8>, %s: tensor<f32>, %z: tensor<ui8>, %wz: tensor<i8>)
    -> (tensor<1x2x4x5xui8>, tensor<1x2x4x5xi32>) {
  %y = graph.qlinear_conv %x, %s, %z, %w, %s, %wz, %s, %z {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
    : (tensor<1x3x4x5xui8>, tensor<f32>, tensor<ui8>, tensor<2x3x1x1xi8>, tensor<f32>, tensor<i8>, tensor<f32>, tensor<ui8>) -> tensor<1x2x4x5xui8>
  %i = graph.conv_integer %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
    : tensor<1x3x4x5xui8>, tensor<2x3x1x1xi8> -> tensor<1x2x4x5xi32>
  return %y, %i : tensor<1x2x4x5xui8>, tensor<1x2x4x5xi32>
}
