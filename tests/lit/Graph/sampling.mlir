// RUN: tilerig-opt %s | tilerig-opt | FileCheck %s

// Sizes from scales are rounded down: 5 * 1.5 = 7.5 gives 7.
// CHECK-LABEL: func.func @scales
// CHECK: graph.resize %{{.*}} {
// CHECK-SAME: scales = array<f32: 1.000000e+00, 1.000000e+00, 1.500000e+00, 2.000000e+00>
// CHECK-SAME: -> tensor<1x2x7x10xf32>
func.func @scales(%x: tensor<1x2x5x5xf32>) -> tensor<1x2x7x10xf32> {
  %y = graph.resize %x {scales = array<f32: 1.0, 1.0, 1.5, 2.0>, sizes = array<i64>, mode = 1 : i32, coordinates = 0 : i32, nearest = 0 : i32, policy = 0 : i32, region = array<f32>, cubicCoefficient = -0.75 : f32, extrapolation = 0.0 : f32}
    : (tensor<1x2x5x5xf32>) -> tensor<1x2x7x10xf32>
  return %y : tensor<1x2x7x10xf32>
}

// Sizes with policy "not larger": the smaller scale, 7 / 4, is used for both axes; 2 * 1.75 = 3.5 is rounded
// up to 4.
// CHECK-LABEL: func.func @not_larger
// CHECK: graph.resize %{{.*}} {
// CHECK-SAME: -> tensor<1x1x4x7xf32>
func.func @not_larger(%x: tensor<1x1x2x4xf32>) -> tensor<1x1x4x7xf32> {
  %y = graph.resize %x {scales = array<f32>, sizes = array<i64: -1, -1, 7, 7>, mode = 0 : i32, coordinates = 0 : i32, nearest = 0 : i32, policy = 1 : i32, region = array<f32>, cubicCoefficient = -0.75 : f32, extrapolation = 0.0 : f32}
    : (tensor<1x1x2x4xf32>) -> tensor<1x1x4x7xf32>
  return %y : tensor<1x1x4x7xf32>
}
