// Tensors that are quantised at run time: the integers are multiplied without their zero point, whose product with the
// sums of the columns of the weights is subtracted from the sums.
// RUN: tilerig-opt %s -form-layers=only=accelerator -split-input-file -verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @product
// CHECK: %[[MIN:.*]] = layer.reduce min %arg0 {axes = array<i64: 1>{{.*}} -> tensor<2x1xf32>
// CHECK: layer.reduce min %[[MIN]] {axes = array<i64: 0>{{.*}} -> tensor<1x1xf32>
// CHECK: %[[MAX:.*]] = layer.reduce max %arg0 {axes = array<i64: 1>{{.*}} -> tensor<2x1xf32>
// CHECK: layer.reduce max %[[MAX]] {axes = array<i64: 0>{{.*}} -> tensor<1x1xf32>
// CHECK: %[[S:.*]] = layer.select
// CHECK: %[[Z:.*]] = layer.activate by <round> %{{.*}} : (tensor<1xf32>) -> tensor<1xf32>
// CHECK: %[[ZP:.*]] = layer.reshape %[[Z]] : (tensor<1xf32>) -> tensor<f32>
// CHECK: %[[R:.*]] = layer.activate by <round> %{{.*}} : (tensor<6xf32>) -> tensor<6xf32>
// CHECK: %[[P:.*]] = layer.reshape %[[R]] : (tensor<6xf32>) -> tensor<2x3xf32>
// CHECK: %[[A:.*]] = layer.binary add %[[P]], %[[ZP]]
// CHECK: %[[Q:.*]] = layer.activate %[[A]] : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<u8:f32, 1.000000e+00>>
// CHECK: %[[M:.*]] = layer.matmul %[[Q]], %{{.*}} -> tensor<2x2xi32>
// CHECK: %[[W:.*]] = layer.activate %{{.*}} : (tensor<ui8>) -> tensor<i32>
// CHECK: %[[C:.*]] = layer.constant dense<[3, 6]> : tensor<2xi32>
// CHECK: %[[T:.*]] = layer.binary mul %[[W]], %[[C]]
// CHECK: layer.binary sub %[[M]], %[[T]]
func.func @product(%x: tensor<2x3xf32>) -> (tensor<2x2xi32>, tensor<f32>) {
  %b = graph.constant dense<[[1, 2], [3, 4], [2, 3]]> : tensor<3x2xi8>
  %zero = graph.constant dense<1> : tensor<i8>
  %q, %s, %z = graph.dynamic_quantize_linear %x : (tensor<2x3xf32>) -> (tensor<2x3xui8>, tensor<f32>, tensor<ui8>)
  %y = graph.matmul_integer %q, %b less %z : tensor<ui8> b_less %zero : tensor<i8> : tensor<2x3xui8>, tensor<3x2xi8> -> tensor<2x2xi32>
  return %y, %s : tensor<2x2xi32>, tensor<f32>
}

// -----

// A convolution of a row of three elements with two taps, padded in front: the first window has the second tap only.
// CHECK-LABEL: func.func @convolution
// CHECK: %[[M:.*]] = layer.conv %{{.*}} -> tensor<1x1x3x1xi32>
// CHECK: %[[C:.*]] = layer.constant dense<{{\[\[\[}}5], [7], [7]]]> : tensor<1x3x1xi32>
// CHECK: %[[T:.*]] = layer.binary mul %{{.*}}, %[[C]] : (tensor<i32>, tensor<1x3x1xi32>) -> tensor<1x3x1xi32>
// CHECK: layer.binary sub %[[M]], %[[T]]
func.func @convolution(%x: tensor<1x1x3xf32>) -> tensor<1x1x3xi32> {
  %w = graph.constant dense<[[[2, 5]]]> : tensor<1x1x2xui8>
  %q, %s, %z = graph.dynamic_quantize_linear %x : (tensor<1x1x3xf32>) -> (tensor<1x1x3xui8>, tensor<f32>, tensor<ui8>)
  %y = graph.conv_integer %q, %w less %z : tensor<ui8> {dilations = array<i64: 1>, groups = 1 : i64, pads = array<i64: 1, 0>, strides = array<i64: 1>} : tensor<1x1x3xui8>, tensor<1x1x2xui8> -> tensor<1x1x3xi32>
  return %y : tensor<1x1x3xi32>
}

// -----

// The model returns the integers, so they need a scale.
func.func @returned(%x: tensor<2x3xf32>) -> tensor<2x3xui8> {
  // expected-error @+1 {{integers with a scale that is computed at run time are supported by the accelerator only as operands of products}}
  %q, %s, %z = graph.dynamic_quantize_linear %x : (tensor<2x3xf32>) -> (tensor<2x3xui8>, tensor<f32>, tensor<ui8>)
  return %q : tensor<2x3xui8>
}
