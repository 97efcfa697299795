// RUN: tilerig-opt %s -lower-to-layers | FileCheck %s

// Batch normalisation, bias and function become parts of the convolution's layer, and all layers are in one
// region.
// CHECK-LABEL: func.func @main
// CHECK-DAG: layer.constant dense<2.000000e+00> : tensor<1x1x1x1xf32>
// CHECK-DAG: layer.constant dense<3.000000e+00> : tensor<1xf32>
// CHECK: layer.conv {{.*}} bias {{.*}}layer.region = 0 : i64
// CHECK-NOT: graph.
func.func @main(%x: tensor<1x1x4x4xf32>) -> tensor<1x1x4x4xf32> {
  %w = graph.constant dense<1.0> : tensor<1x1x1x1xf32>
  %two = graph.constant dense<2.0> : tensor<1xf32>
  %three = graph.constant dense<3.0> : tensor<1xf32>
  %zero = graph.constant dense<0.0> : tensor<1xf32>
  %one = graph.constant dense<1.0> : tensor<1xf32>
  %c = graph.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
    : (tensor<1x1x4x4xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x4x4xf32>
  %y = graph.batch_norm %c, %two, %three, %zero, %one {epsilon = 0.0 : f32}
    : (tensor<1x1x4x4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1x4x4xf32>
  return %y : tensor<1x1x4x4xf32>
}
