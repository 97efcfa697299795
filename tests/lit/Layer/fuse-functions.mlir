// RUN: tilerig-opt %s -fuse-functions | FileCheck %s --implicit-check-not=layer.activate

// CHECK-LABEL: func.func @products
// CHECK: layer.conv %arg0, %arg1 then <relu> {
// CHECK: layer.matmul %arg2, %arg2 then <clip 0.000000e+00, 6.000000e+00>
func.func @products(%x: tensor<1x4x4x3xf32>, %w: tensor<5x1x1x3xf32>, %a: tensor<2x2xf32>) -> (tensor<1x4x4x5xf32>, tensor<2x2xf32>) {
  %c = layer.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x4x4x3xf32>, tensor<5x1x1x3xf32>) -> tensor<1x4x4x5xf32>
  %y = layer.activate by <relu> %c : (tensor<1x4x4x5xf32>) -> tensor<1x4x4x5xf32>
  %p = layer.matmul %a, %a : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %z = layer.activate by <clip 0.0, 6.0> %p : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %y, %z : tensor<1x4x4x5xf32>, tensor<2x2xf32>
}

// A function is fused after an addend, too.
// CHECK-LABEL: func.func @residual
// CHECK: layer.conv %arg0, %arg1 addend %arg2 then <relu> {
// CHECK-NOT: functionFirst
func.func @residual(%x: tensor<1x4x4x3xf32>, %w: tensor<5x1x1x3xf32>, %r: tensor<1x4x4x5xf32>) -> tensor<1x4x4x5xf32> {
  %c = layer.conv %x, %w addend %r {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x4x4x3xf32>, tensor<5x1x1x3xf32>, tensor<1x4x4x5xf32>) -> tensor<1x4x4x5xf32>
  %y = layer.activate by <relu> %c : (tensor<1x4x4x5xf32>) -> tensor<1x4x4x5xf32>
  return %y : tensor<1x4x4x5xf32>
}

// CHECK-LABEL: func.func @others
// CHECK: layer.binary mul %arg0, %arg0 then <tanh>
// CHECK: layer.softmax %{{.*}} then <log>
// CHECK: layer.normalize rms %{{.*}} then <sigmoid>
// CHECK: layer.select %arg1, %{{.*}}, %arg0 then <abs>
func.func @others(%a: tensor<2x2xf32>, %t: tensor<2x2xi1>) -> tensor<2x2xf32> {
  %b = layer.binary mul %a, %a : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %c = layer.activate by <tanh> %b : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %d = layer.softmax %c {axis = 1 : i64} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %e = layer.activate by <log> %d : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %f = layer.normalize rms %e {axes = array<i64: 1>, epsilon = 0.0 : f32} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %g = layer.activate by <sigmoid> %f : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %h = layer.select %t, %g, %a : (tensor<2x2xi1>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %i = layer.activate by <abs> %h : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %i : tensor<2x2xf32>
}
