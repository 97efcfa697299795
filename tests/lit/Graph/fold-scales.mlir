// RUN: tilerig-opt %s -fold-scales -canonicalize | FileCheck %s

// Two groups with one input and one output channel. Weights 3 and 5 take the factors [10, 100] before and [2,
// 1/2] after the convolution.
// CHECK-LABEL: func.func @convolution
// CHECK-DAG: %[[W:.*]] = graph.constant dense<{{\[\[\[\[}}6.000000e+01]]], {{\[\[\[}}2.500000e+02]]]]> : tensor<2x1x1x1xf32>
// CHECK-DAG: %[[B:.*]] = graph.constant dense<[2.000000e+00, 5.000000e-01]> : tensor<2xf32>
// CHECK: %[[Y:.*]] = graph.conv %arg0, %[[W]], %[[B]]
// CHECK-NEXT: return %[[Y]]
func.func @convolution(%x: tensor<1x2x3x3xf32>) -> tensor<1x2x5x5xf32> {
  %w = graph.constant dense<[[[[3.0]]], [[[5.0]]]]> : tensor<2x1x1x1xf32>
  %b = graph.constant dense<1.0> : tensor<2xf32>
  %before = graph.constant dense<[[[10.0]], [[100.0]]]> : tensor<2x1x1xf32>
  %behind = graph.constant dense<[[[0.5]], [[2.0]]]> : tensor<2x1x1xf32>
  %s = graph.mul %before, %x : (tensor<2x1x1xf32>, tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %y = graph.conv %s, %w, %b {dilations = array<i64: 1, 1>, groups = 2 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>}
    : (tensor<1x2x3x3xf32>, tensor<2x1x1x1xf32>, tensor<2xf32>) -> tensor<1x2x5x5xf32>
  %z = graph.div %y, %behind : (tensor<1x2x5x5xf32>, tensor<2x1x1xf32>) -> tensor<1x2x5x5xf32>
  return %z : tensor<1x2x5x5xf32>
}

// Weights of a transposed convolution have inputs first: [[1, 2], [3, 4]] with the factors [10, 100] before
// it (rows) and [1, 5] after it (columns).
// CHECK-LABEL: func.func @transposed
// CHECK: graph.constant dense<{{\[\[\[}}1.000000e+01], [1.000000e+02]], {{\[\[}}3.000000e+02], [2.000000e+03]]]> : tensor<2x2x1xf32>
// CHECK-NEXT: graph.conv_transpose
// CHECK-NEXT: return
func.func @transposed(%x: tensor<1x2x3xf32>) -> tensor<1x2x3xf32> {
  %w = graph.constant dense<[[[1.0], [2.0]], [[3.0], [4.0]]]> : tensor<2x2x1xf32>
  %before = graph.constant dense<[[10.0], [100.0]]> : tensor<2x1xf32>
  %behind = graph.constant dense<[[1.0], [5.0]]> : tensor<2x1xf32>
  %s = graph.mul %x, %before : (tensor<1x2x3xf32>, tensor<2x1xf32>) -> tensor<1x2x3xf32>
  %y = graph.conv_transpose %s, %w {dilations = array<i64: 1>, groups = 1 : i64, pads = array<i64: 0, 0>, strides = array<i64: 1>, outputPadding = array<i64: 0>}
    : (tensor<1x2x3xf32>, tensor<2x2x1xf32>) -> tensor<1x2x3xf32>
  %z = graph.mul %y, %behind : (tensor<1x2x3xf32>, tensor<2x1xf32>) -> tensor<1x2x3xf32>
  return %z : tensor<1x2x3xf32>
}

// A batch of matrices: [[1, 2], [3, 4]] times 2, and its columns times [1, 10].
// CHECK-LABEL: func.func @product
// CHECK: graph.constant dense<{{\[\[}}2.000000e+00, 4.000000e+01], [6.000000e+00, 8.000000e+01]]> : tensor<2x2xf32>
// CHECK-NEXT: graph.matmul
// CHECK-NEXT: return
func.func @product(%x: tensor<5x3x2xf32>) -> tensor<5x3x2xf32> {
  %w = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %two = graph.constant dense<2.0> : tensor<f32>
  %columns = graph.constant dense<[1.0, 10.0]> : tensor<2xf32>
  %s = graph.mul %x, %two : (tensor<5x3x2xf32>, tensor<f32>) -> tensor<5x3x2xf32>
  %y = graph.matmul %s, %w : (tensor<5x3x2xf32>, tensor<2x2xf32>) -> tensor<5x3x2xf32>
  %z = graph.mul %y, %columns : (tensor<5x3x2xf32>, tensor<2xf32>) -> tensor<5x3x2xf32>
  return %z : tensor<5x3x2xf32>
}

// Not folded: unknown weights, factors by rows, division by zero, overflow, a product with another reader.
// CHECK-LABEL: func.func @others
// CHECK: graph.mul
// CHECK: graph.mul
// CHECK: graph.div
// CHECK: graph.mul
// CHECK: graph.mul
func.func @others(%x: tensor<3x2xf32>, %u: tensor<2x2xf32>)
    -> (tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>) {
  %w = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %two = graph.constant dense<2.0> : tensor<f32>
  %zero = graph.constant dense<0.0> : tensor<f32>
  %large = graph.constant dense<3.0e+38> : tensor<f32>
  %rows = graph.constant dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf32>
  %0 = graph.matmul %x, %u : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  %a = graph.mul %0, %two : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  %1 = graph.matmul %x, %w : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  %b = graph.mul %1, %rows : (tensor<3x2xf32>, tensor<3x1xf32>) -> tensor<3x2xf32>
  %2 = graph.matmul %x, %w : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  %c = graph.div %2, %zero : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  %3 = graph.matmul %x, %w : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  %d = graph.mul %3, %large : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  %4 = graph.matmul %x, %w : (tensor<3x2xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  %e = graph.mul %4, %two : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  return %a, %b, %c, %d, %4, %e : tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>
}
