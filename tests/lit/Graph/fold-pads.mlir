// RUN: tilerig-opt %s -fold-pads -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @convolution
// CHECK-NEXT: graph.conv %arg0, %arg1 {{.*}}pads = array<i64: 1, 0, 2, 1>
func.func @convolution(%x: tensor<1x1x4x4xf32>, %w: tensor<1x1x3x3xf32>) -> tensor<1x1x5x3xf32> {
  %p = graph.pad %x {pads = array<i64: 0, 0, 0, 0, 0, 0, 2, 0>, mode = 0 : i32} : (tensor<1x1x4x4xf32>) -> tensor<1x1x6x4xf32>
  %y = graph.conv %p, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 0, 0, 1>, strides = array<i64: 1, 1>}
    : (tensor<1x1x6x4xf32>, tensor<1x1x3x3xf32>) -> tensor<1x1x5x3xf32>
  return %y : tensor<1x1x5x3xf32>
}

// Not folded: a convolution pads with zeros, not with ones.
// CHECK-LABEL: func.func @ones
// CHECK: graph.pad
func.func @ones(%x: tensor<1x1x4x4xf32>, %w: tensor<1x1x3x3xf32>) -> tensor<1x1x4x2xf32> {
  %one = graph.constant dense<1.0> : tensor<f32>
  %p = graph.pad %x, %one {pads = array<i64: 0, 0, 0, 0, 0, 0, 2, 0>, mode = 0 : i32} : (tensor<1x1x4x4xf32>, tensor<f32>) -> tensor<1x1x6x4xf32>
  %y = graph.conv %p, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
    : (tensor<1x1x6x4xf32>, tensor<1x1x3x3xf32>) -> tensor<1x1x4x2xf32>
  return %y : tensor<1x1x4x2xf32>
}

// Not folded: the maximum of a window ignores its padding, but would see padded zeros.
// CHECK-LABEL: func.func @maximum
// CHECK: graph.pad
func.func @maximum(%x: tensor<1x1x4x4xf32>) -> tensor<1x1x3x2xf32> {
  %p = graph.pad %x {pads = array<i64: 0, 0, 1, 0, 0, 0, 1, 0>, mode = 0 : i32} : (tensor<1x1x4x4xf32>) -> tensor<1x1x6x4xf32>
  %y = graph.max_pool %p {dilations = array<i64: 1, 1>, kernel = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>}
    : (tensor<1x1x6x4xf32>) -> tensor<1x1x3x2xf32>
  return %y : tensor<1x1x3x2xf32>
}
