// RUN: tilerig-opt %s -fold-batch-norm -canonicalize | FileCheck %s

// The factors of the channels are 2 / sqrt(3 + 1) = 1 and 6 / sqrt(8 + 1) = 2. Weights 5 and 7 become 5 and
// 14; the biases, 0 before, become 10 - 4 * 1 = 6 and 20 - 3 * 2 = 14.
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

// Not folded: the convolution's result is an output, too, so its weights must not change.
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

// Not folded: the mean is not known at compile time.
// CHECK-LABEL: func.func @unknown
// CHECK: graph.batch_norm
func.func @unknown(%x: tensor<1x2x3x3xf32>, %mean: tensor<2xf32>) -> tensor<1x2x3x3xf32> {
  %p = graph.constant dense<1.0> : tensor<2xf32>
  %z = graph.batch_norm %x, %p, %p, %mean, %p {epsilon = 1.0e-5 : f32}
    : (tensor<1x2x3x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x3x3xf32>
  return %z : tensor<1x2x3x3xf32>
}

// Before a convolution. Factors are 2 / sqrt(3 + 1) = 1 and 6 / sqrt(8 + 1) = 2, shifts 10 - 4 * 1 = 6 and
// 20 - 3 * 2 = 14. Weights 5 and 7 of the only output become 5 and 14; its bias 1 becomes
// 1 + 5 * 6 + 7 * 14 = 129.
// CHECK-LABEL: func.func @before_convolution
// CHECK-DAG: %[[BIAS:.*]] = graph.constant dense<1.290000e+02> : tensor<1xf32>
// CHECK-DAG: %[[WEIGHTS:.*]] = graph.constant dense<{{\[\[\[\[}}5.000000e+00]], {{\[\[}}1.400000e+01]]]]> : tensor<1x2x1x1xf32>
// CHECK: %[[Y:.*]] = graph.conv %arg0, %[[WEIGHTS]], %[[BIAS]]
// CHECK-NEXT: return %[[Y]]
func.func @before_convolution(%x: tensor<1x2x3x3xf32>) -> tensor<1x1x3x3xf32> {
  %w = graph.constant dense<[[[[5.0]], [[7.0]]]]> : tensor<1x2x1x1xf32>
  %b = graph.constant dense<1.0> : tensor<1xf32>
  %scale = graph.constant dense<[2.0, 6.0]> : tensor<2xf32>
  %bias = graph.constant dense<[10.0, 20.0]> : tensor<2xf32>
  %mean = graph.constant dense<[4.0, 3.0]> : tensor<2xf32>
  %variance = graph.constant dense<[3.0, 8.0]> : tensor<2xf32>
  %n = graph.batch_norm %x, %scale, %bias, %mean, %variance {epsilon = 1.0 : f32}
    : (tensor<1x2x3x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x3x3xf32>
  %y = graph.conv %n, %w, %b {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
    : (tensor<1x2x3x3xf32>, tensor<1x2x1x1xf32>, tensor<1xf32>) -> tensor<1x1x3x3xf32>
  return %y : tensor<1x1x3x3xf32>
}

// Before a convolution with padding: zeros of the padding must not be shifted, so scale and shift stay
// operations.
// CHECK-LABEL: func.func @before_padding
// CHECK: graph.mul
// CHECK-NEXT: graph.add
// CHECK-NEXT: graph.conv
func.func @before_padding(%x: tensor<1x1x3x3xf32>) -> tensor<1x1x5x5xf32> {
  %w = graph.constant dense<5.0> : tensor<1x1x1x1xf32>
  %p = graph.constant dense<1.0> : tensor<1xf32>
  %n = graph.batch_norm %x, %p, %p, %p, %p {epsilon = 1.0 : f32}
    : (tensor<1x1x3x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x3x3xf32>
  %y = graph.conv %n, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>}
    : (tensor<1x1x3x3xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x5x5xf32>
  return %y : tensor<1x1x5x5xf32>
}

// After a transposed convolution of two groups, whose weights have inputs first: 3 and 5 are scaled by 1 and
// 2.
// CHECK-LABEL: func.func @after_transposed
// CHECK-DAG: graph.constant dense<{{\[\[\[}}3.000000e+00]], {{\[\[}}1.000000e+01]]]> : tensor<2x1x1xf32>
// CHECK-DAG: graph.constant dense<[6.000000e+00, 1.400000e+01]> : tensor<2xf32>
// CHECK: %[[Y:.*]] = graph.conv_transpose
// CHECK-NEXT: return %[[Y]]
func.func @after_transposed(%x: tensor<1x2x3xf32>) -> tensor<1x2x3xf32> {
  %w = graph.constant dense<[[[3.0]], [[5.0]]]> : tensor<2x1x1xf32>
  %scale = graph.constant dense<[2.0, 6.0]> : tensor<2xf32>
  %bias = graph.constant dense<[10.0, 20.0]> : tensor<2xf32>
  %mean = graph.constant dense<[4.0, 3.0]> : tensor<2xf32>
  %variance = graph.constant dense<[3.0, 8.0]> : tensor<2xf32>
  %y = graph.conv_transpose %x, %w {dilations = array<i64: 1>, groups = 2 : i64, pads = array<i64: 0, 0>, strides = array<i64: 1>, outputPadding = array<i64: 0>}
    : (tensor<1x2x3xf32>, tensor<2x1x1xf32>) -> tensor<1x2x3xf32>
  %n = graph.batch_norm %y, %scale, %bias, %mean, %variance {epsilon = 1.0 : f32}
    : (tensor<1x2x3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x3xf32>
  return %n : tensor<1x2x3xf32>
}
