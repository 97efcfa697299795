// RUN: tilerig-opt %s -fold-batch-norm -canonicalize | FileCheck %s

// Scale 2 / sqrt(3 + 1) = 1 and 6 / sqrt(8 + 1) = 2; weights 5 and 7 become 5 and 14; the bias 0 becomes
// 10 - 4 * 1 = 6 and 20 - 3 * 2 = 14.
// CHECK-LABEL: func.func @after_convolution
// CHECK-DAG: %[[BIAS:.*]] = graph.constant dense<[6.000000e+00, 1.400000e+01]> : tensor<2xf32>
// CHECK-DAG: %[[WEIGHTS:.*]] = graph.constant dense<{{\[\[\[\[}}5.000000e+00]]], {{\[\[\[}}1.400000e+01]]]]> : tensor<2x1x1x1xf32>
// CHECK: %[[Y:.*]] = graph.conv %arg0, %[[WEIGHTS]], %[[BIAS]]
// CHECK-NEXT: return %[[Y]]
func.func @after_convolution(%x: tensor<1x1x3x3xf32>) -> tensor<1x2x3x3xf32> {
  %w = graph.constant dense<[[[[5.0]]], [[[7.0]]]]> : tensor<2x1x1x1xf32>
  %scale = graph.constant dense<[2.0, 6.0]> : tensor<2xf32>
  %bias = graph.constant dense<[10.0, 20.0]> : tensor<2xf32>
  %mean = graph.constant dense<[4.0, 3.0]> : tensor<2xf32>
  %variance = graph.constant dense<[3.0, 8.0]> : tensor<2xf32>
  %y = graph.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
    : (tensor<1x1x3x3xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x3x3xf32>
  %z = graph.batch_norm %y, %scale, %bias, %mean, %variance {epsilon = 1.0 : f32}
    : (tensor<1x2x3x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x3x3xf32>
  return %z : tensor<1x2x3x3xf32>
}

// The convolution's own result is wanted too: its weights must stay.
// CHECK-LABEL: func.func @read_twice
// CHECK: %[[Y:.*]] = graph.conv
// CHECK: %[[SCALED:.*]] = graph.mul %[[Y]]
// CHECK: graph.add %[[SCALED]]
func.func @read_twice(%x: tensor<1x1x3x3xf32>) -> (tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>) {
  %w = graph.constant dense<1.0> : tensor<2x1x1x1xf32>
  %p = graph.constant dense<1.0> : tensor<2xf32>
  %y = graph.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
    : (tensor<1x1x3x3xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x3x3xf32>
  %z = graph.batch_norm %y, %p, %p, %p, %p {epsilon = 1.0e-5 : f32}
    : (tensor<1x2x3x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x3x3xf32>
  return %y, %z : tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>
}

// Statistics that are not known when compiling stay what they are.
// CHECK-LABEL: func.func @unknown
// CHECK: graph.batch_norm
func.func @unknown(%x: tensor<1x2x3x3xf32>, %mean: tensor<2xf32>) -> tensor<1x2x3x3xf32> {
  %p = graph.constant dense<1.0> : tensor<2xf32>
  %z = graph.batch_norm %x, %p, %p, %mean, %p {epsilon = 1.0e-5 : f32}
    : (tensor<1x2x3x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x3x3xf32>
  return %z : tensor<1x2x3x3xf32>
}
