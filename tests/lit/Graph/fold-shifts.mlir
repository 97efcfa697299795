// RUN: tilerig-opt %s -fold-shifts -canonicalize | FileCheck %s

// Constants that are added or subtracted after a convolution are folded into its bias.
// CHECK-LABEL: func.func @convolution
// CHECK-NEXT: %[[BIAS:.*]] = graph.constant dense<[1.000000e+01, 2.100000e+01]> : tensor<2xf32>
// CHECK-NEXT: %[[Y:.*]] = graph.conv %arg0, %arg1, %[[BIAS]]
// CHECK-NEXT: return %[[Y]]
func.func @convolution(%x: tensor<1x1x3x3xf32>, %w: tensor<2x1x1x1xf32>) -> tensor<1x2x3x3xf32> {
  %b = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %c = graph.constant dense<[[[10.0]], [[20.0]]]> : tensor<2x1x1xf32>
  %d = graph.constant dense<1.0> : tensor<f32>
  %y = graph.conv %x, %w, %b {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
    : (tensor<1x1x3x3xf32>, tensor<2x1x1x1xf32>, tensor<2xf32>) -> tensor<1x2x3x3xf32>
  %z = graph.add %c, %y : (tensor<2x1x1xf32>, tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf32>
  %v = graph.sub %z, %d : (tensor<1x2x3x3xf32>, tensor<f32>) -> tensor<1x2x3x3xf32>
  return %v : tensor<1x2x3x3xf32>
}

// With channels last, the shift belongs to the last axis.
// CHECK-LABEL: func.func @channels_last
// CHECK-NEXT: graph.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK-NEXT: graph.conv
// CHECK-NEXT: return
func.func @channels_last(%x: tensor<1x3x3x1xf32>, %w: tensor<2x1x1x1xf32>) -> tensor<1x3x3x2xf32> {
  %c = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = graph.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, channelsLast}
    : (tensor<1x3x3x1xf32>, tensor<2x1x1x1xf32>) -> tensor<1x3x3x2xf32>
  %z = graph.add %y, %c : (tensor<1x3x3x2xf32>, tensor<2xf32>) -> tensor<1x3x3x2xf32>
  return %z : tensor<1x3x3x2xf32>
}

// The bias of the gemm becomes 3 * [1, 2] + [10, 20].
// CHECK-LABEL: func.func @products
// CHECK-DAG: %[[B:.*]] = graph.constant dense<[1.000000e+01, 2.000000e+01]> : tensor<2xf32>
// CHECK-DAG: %[[C:.*]] = graph.constant dense<[1.300000e+01, 2.600000e+01]> : tensor<2xf32>
// CHECK: %[[Y:.*]] = graph.gemm %arg0, %arg1, %[[B]] {alpha = 1.000000e+00 : f32, beta = 1.000000e+00 : f32}
// CHECK: %[[Z:.*]] = graph.gemm %arg0, %arg1, %[[C]] {alpha = 2.000000e+00 : f32, beta = 1.000000e+00 : f32}
// CHECK: return %[[Y]], %[[Z]]
func.func @products(%x: tensor<3x4xf32>, %w: tensor<4x2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>) {
  %c = graph.constant dense<[10.0, 20.0]> : tensor<2xf32>
  %d = graph.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32>
  %y = graph.matmul %x, %w : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
  %z = graph.add %y, %c : (tensor<3x2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  %u = graph.gemm %x, %w, %d {alpha = 2.0 : f32, beta = 3.0 : f32} : (tensor<3x4xf32>, tensor<4x2xf32>, tensor<1x2xf32>) -> tensor<3x2xf32>
  %v = graph.add %u, %c : (tensor<3x2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  return %z, %v : tensor<3x2xf32>, tensor<3x2xf32>
}

// Not folded: a shift by rows; a batch of matrices; a product with another reader; an unknown shift; a
// constant from which the product is subtracted.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-4: graph.add
// CHECK: graph.sub
func.func @others(%x: tensor<3x4xf32>, %s: tensor<5x3x4xf32>, %w: tensor<4x2xf32>, %u: tensor<2xf32>)
    -> (tensor<3x2xf32>, tensor<5x3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>) {
  %rows = graph.constant dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf32>
  %c = graph.constant dense<[10.0, 20.0]> : tensor<2xf32>
  %0 = graph.matmul %x, %w : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
  %a = graph.add %0, %rows : (tensor<3x2xf32>, tensor<3x1xf32>) -> tensor<3x2xf32>
  %1 = graph.matmul %s, %w : (tensor<5x3x4xf32>, tensor<4x2xf32>) -> tensor<5x3x2xf32>
  %b = graph.add %1, %c : (tensor<5x3x2xf32>, tensor<2xf32>) -> tensor<5x3x2xf32>
  %2 = graph.matmul %x, %w : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
  %d = graph.add %2, %c : (tensor<3x2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  %3 = graph.matmul %x, %w : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
  %e = graph.add %3, %u : (tensor<3x2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  %4 = graph.matmul %x, %w : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
  %f = graph.sub %c, %4 : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return %a, %b, %2, %d, %e, %f : tensor<3x2xf32>, tensor<5x3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>
}
