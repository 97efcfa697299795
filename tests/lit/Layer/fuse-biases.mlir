// RUN: tilerig-opt %s -fuse-biases -canonicalize | FileCheck %s

// The constant may be either operand; a scalar is repeated for each output; the function of the sum is kept.
// CHECK-LABEL: func.func @conv
// CHECK-DAG: %[[B:.*]] = layer.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 5.000000e+00]> : tensor<5xf32>
// CHECK-DAG: %[[S:.*]] = layer.constant dense<5.000000e-01> : tensor<5xf32>
// CHECK: layer.conv %arg0, %arg1 bias %[[B]] {
// CHECK: layer.conv %arg0, %arg1 bias %[[S]] then <relu> {
// CHECK-NOT: layer.binary
func.func @conv(%x: tensor<1x4x4x3xf32>, %w: tensor<5x1x1x3xf32>) -> (tensor<1x4x4x5xf32>, tensor<1x4x4x5xf32>) {
  %b = layer.constant dense<[[[1.0, 2.0, 3.0, 4.0, 5.0]]]> : tensor<1x1x5xf32> as tensor<1x1x5xf32>
  %s = layer.constant dense<0.5> : tensor<f32> as tensor<f32>
  %c = layer.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x4x4x3xf32>, tensor<5x1x1x3xf32>) -> tensor<1x4x4x5xf32>
  %y = layer.binary add %b, %c : (tensor<1x1x5xf32>, tensor<1x4x4x5xf32>) -> tensor<1x4x4x5xf32>
  %d = layer.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x4x4x3xf32>, tensor<5x1x1x3xf32>) -> tensor<1x4x4x5xf32>
  %z = layer.binary add %d, %s then <relu> : (tensor<1x4x4x5xf32>, tensor<f32>) -> tensor<1x4x4x5xf32>
  return %y, %z : tensor<1x4x4x5xf32>, tensor<1x4x4x5xf32>
}

// A batch of matrices times a single matrix.
// CHECK-LABEL: func.func @matmul
// CHECK: layer.matmul %arg0, %arg1 bias %{{.*}} : (tensor<7x2x3xf32>, tensor<2x3xf32>, tensor<2xf32>)
// CHECK-NOT: layer.binary
func.func @matmul(%a: tensor<7x2x3xf32>, %b: tensor<2x3xf32>) -> tensor<7x2x2xf32> {
  %c = layer.constant dense<[1.0, 2.0]> : tensor<2xf32> as tensor<2xf32>
  %p = layer.matmul %a, %b : (tensor<7x2x3xf32>, tensor<2x3xf32>) -> tensor<7x2x2xf32>
  %y = layer.binary add %p, %c : (tensor<7x2x2xf32>, tensor<2xf32>) -> tensor<7x2x2xf32>
  return %y : tensor<7x2x2xf32>
}
