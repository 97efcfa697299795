// RUN: tilerig-opt %s > %t && FileCheck %s --strict-whitespace < %t && tilerig-opt %t | diff %t -

// CHECK-LABEL: func.func @reductions
// CHECK: layer.reduce mean %arg0 then <sqrt> {axes = array<i64: 1, 2>} : (tensor<2x3x4xf32>) -> tensor<2x1x1xf32>
// CHECK: layer.reduce arg_max %arg0 {axes = array<i64: 2>, lastIndex} : (tensor<2x3x4xf32>) -> tensor<2x3x1xi32>
func.func @reductions(%x: tensor<2x3x4xf32>) -> (tensor<2x1x1xf32>, tensor<2x3x1xi32>) {
  %a = layer.reduce mean %x then <sqrt> {axes = array<i64: 1, 2>} : (tensor<2x3x4xf32>) -> tensor<2x1x1xf32>
  %b = layer.reduce arg_max %x {axes = array<i64: 2>, lastIndex} : (tensor<2x3x4xf32>) -> tensor<2x3x1xi32>
  return %a, %b : tensor<2x1x1xf32>, tensor<2x3x1xi32>
}

// CHECK-LABEL: func.func @softmaxes
// CHECK: layer.softmax %arg0 {axis = 1 : i64}
// CHECK: layer.softmax %arg0 then <neg> {axis = 0 : i64, logarithm}
func.func @softmaxes(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %a = layer.softmax %x {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %b = layer.softmax %x then <neg> {axis = 0 : i64, logarithm} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %a, %b : tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func.func @norms
// CHECK: layer.normalize mean_variance %arg0 gain %arg1 shift %arg2 then <relu> {axes = array<i64: 2, 1>, epsilon = 9.99999974E-6 : f32}
// CHECK: layer.normalize rms %arg0 gain %arg1 {axes = array<i64: 2>, epsilon = 0.000000e+00 : f32}
func.func @norms(%x: tensor<2x3x4xf32>, %g: tensor<3x4xf32>, %s: tensor<4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x4xf32>) {
  %a = layer.normalize mean_variance %x gain %g shift %s then <relu> {axes = array<i64: 2, 1>, epsilon = 1.0e-5 : f32} : (tensor<2x3x4xf32>, tensor<3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  %b = layer.normalize rms %x gain %g {axes = array<i64: 2>, epsilon = 0.0 : f32} : (tensor<2x3x4xf32>, tensor<3x4xf32>) -> tensor<2x3x4xf32>
  return %a, %b : tensor<2x3x4xf32>, tensor<2x3x4xf32>
}
