// RUN: tilerig-opt %s > %t && FileCheck %s < %t && tilerig-opt %t | diff %t -

// CHECK-LABEL: func.func @moves
// CHECK: layer.reshape %arg0 : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
// CHECK: layer.transpose %{{.*}} {perm = array<i64: 1, 0>} : (tensor<6x4xf32>) -> tensor<4x6xf32>
// CHECK: layer.slice %{{.*}} {starts = array<i64: 3, 0>, steps = array<i64: -2, 5>} : (tensor<4x6xf32>) -> tensor<2x2xf32>
// CHECK: layer.pad %{{.*}} {pads = array<i64: 0, 1, 2, 0>, value = 1.500000e+00 : f32} : (tensor<2x2xf32>) -> tensor<4x3xf32>
func.func @moves(%x: tensor<2x3x4xf32>) -> tensor<4x3xf32> {
  %a = layer.reshape %x : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  %b = layer.transpose %a {perm = array<i64: 1, 0>} : (tensor<6x4xf32>) -> tensor<4x6xf32>
  %c = layer.slice %b {starts = array<i64: 3, 0>, steps = array<i64: -2, 5>} : (tensor<4x6xf32>) -> tensor<2x2xf32>
  %d = layer.pad %c {pads = array<i64: 0, 1, 2, 0>, value = 1.5 : f32} : (tensor<2x2xf32>) -> tensor<4x3xf32>
  return %d : tensor<4x3xf32>
}

// CHECK-LABEL: func.func @joins
// CHECK: layer.expand %arg0 : (tensor<1x3xi32>) -> tensor<4x3xi32>
// CHECK: layer.concat %{{.*}}, %arg0 {axis = 0 : i64} : (tensor<4x3xi32>, tensor<1x3xi32>) -> tensor<5x3xi32>
// CHECK: layer.gather %{{.*}}, %arg0 {axis = 1 : i64} : (tensor<5x3xi32>, tensor<1x3xi32>) -> tensor<5x1x3xi32>
func.func @joins(%x: tensor<1x3xi32>) -> tensor<5x1x3xi32> {
  %a = layer.expand %x : (tensor<1x3xi32>) -> tensor<4x3xi32>
  %b = layer.concat %a, %x {axis = 0 : i64} : (tensor<4x3xi32>, tensor<1x3xi32>) -> tensor<5x3xi32>
  %c = layer.gather %b, %x {axis = 1 : i64} : (tensor<5x3xi32>, tensor<1x3xi32>) -> tensor<5x1x3xi32>
  return %c : tensor<5x1x3xi32>
}
