// RUN: tilerig-opt %s | tilerig-opt | FileCheck %s

// Quantise and dequantise with one scale per tensor, per channel, and per block of two elements.
// CHECK-LABEL: func.func @linear
// CHECK: graph.quantize_linear %{{.*}}, %{{.*}}, %{{.*}} {axis = 0 : i64}
// CHECK-SAME: -> tensor<2x4xui8>
// CHECK: graph.dequantize_linear %{{.*}}, %{{.*}} {axis = 1 : i64}
// CHECK: graph.dequantize_linear %{{.*}}, %{{.*}} {axis = 1 : i64, blockSize = 2 : i64}
func.func @linear(%x: tensor<2x4xf32>, %s: tensor<f32>, %z: tensor<ui8>, %perColumn: tensor<4xf32>, %perBlock: tensor<2x2xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %q = graph.quantize_linear %x, %s, %z {axis = 0 : i64} : (tensor<2x4xf32>, tensor<f32>, tensor<ui8>) -> tensor<2x4xui8>
  %y = graph.dequantize_linear %q, %perColumn {axis = 1 : i64} : (tensor<2x4xui8>, tensor<4xf32>) -> tensor<2x4xf32>
  %w = graph.dequantize_linear %q, %perBlock {axis = 1 : i64, blockSize = 2 : i64} : (tensor<2x4xui8>, tensor<2x2xf32>) -> tensor<2x4xf32>
  return %y, %w : tensor<2x4xf32>, tensor<2x4xf32>
}

// The weights have one scale per output; the bias is an integer in the units of the sum.
// CHECK-LABEL: func.func @convolution
// CHECK: graph.qlinear_conv
// CHECK-SAME: -> tensor<1x4x6x6xi8>
func.func @convolution(%x: tensor<1x3x8x8xui8>, %xs: tensor<f32>, %xz: tensor<ui8>, %w: tensor<4x3x3x3xi8>, %ws: tensor<4xf32>, %wz: tensor<4xi8>, %ys: tensor<f32>, %yz: tensor<i8>, %b: tensor<4xi32>) -> tensor<1x4x6x6xi8> {
  %y = graph.qlinear_conv %x, %xs, %xz, %w, %ws, %wz, %ys, %yz, %b {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
    : (tensor<1x3x8x8xui8>, tensor<f32>, tensor<ui8>, tensor<4x3x3x3xi8>, tensor<4xf32>, tensor<4xi8>, tensor<f32>, tensor<i8>, tensor<4xi32>) -> tensor<1x4x6x6xi8>
  return %y : tensor<1x4x6x6xi8>
}

// CHECK-LABEL: func.func @products
// CHECK: graph.qlinear_matmul
// CHECK: graph.matmul_integer %{{.*}}, %{{.*}} b_less %{{.*}} : tensor<5xi8>
// CHECK: graph.conv_integer %{{.*}}, %{{.*}} less %{{.*}} : tensor<ui8>
func.func @products(%a: tensor<2x3xui8>, %s: tensor<f32>, %z: tensor<ui8>, %b: tensor<3x5xi8>, %bs: tensor<5xf32>, %bz: tensor<5xi8>, %x: tensor<1x3x8x8xui8>, %w: tensor<4x3x8x8xi8>)
    -> (tensor<2x5xui8>, tensor<2x5xi32>, tensor<1x4x1x1xi32>) {
  %q = graph.qlinear_matmul %a, %s, %z, %b, %bs, %bz, %s, %z : (tensor<2x3xui8>, tensor<f32>, tensor<ui8>, tensor<3x5xi8>, tensor<5xf32>, tensor<5xi8>, tensor<f32>, tensor<ui8>) -> tensor<2x5xui8>
  %i = graph.matmul_integer %a, %b b_less %bz : tensor<5xi8> : tensor<2x3xui8>, tensor<3x5xi8> -> tensor<2x5xi32>
  %c = graph.conv_integer %x, %w less %z : tensor<ui8> {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
    : tensor<1x3x8x8xui8>, tensor<4x3x8x8xi8> -> tensor<1x4x1x1xi32>
  return %q, %i, %c : tensor<2x5xui8>, tensor<2x5xi32>, tensor<1x4x1x1xi32>
}

// CHECK-LABEL: func.func @dynamic
// CHECK: graph.dynamic_quantize_linear %{{.*}} : (tensor<7xf32>) -> (tensor<7xui8>, tensor<f32>, tensor<ui8>)
func.func @dynamic(%x: tensor<7xf32>) -> (tensor<7xui8>, tensor<f32>, tensor<ui8>) {
  %q, %s, %z = graph.dynamic_quantize_linear %x : (tensor<7xf32>) -> (tensor<7xui8>, tensor<f32>, tensor<ui8>)
  return %q, %s, %z : tensor<7xui8>, tensor<f32>, tensor<ui8>
}
