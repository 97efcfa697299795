// Forms of Resize without an instruction: a product with a matrix of weights for each axis, or a gather.
// RUN: tilerig-opt %s -form-layers=only=accelerator -split-input-file | FileCheck %s

// Antialiasing of the last axis, from 4 to 2 elements: the filter reaches two elements to each side.
// CHECK-LABEL: func.func @antialias
// CHECK: %[[X:.*]] = layer.reshape %arg0 : (tensor<1x1x3x4xf32>) -> tensor<3x4xf32>
// CHECK: %[[W:.*]] = layer.constant dense<{{\[\[}}0.428571433, 0.000000e+00], [0.428571433, 0.142857149], [0.142857149, 0.428571433], [0.000000e+00, 0.428571433]]>
// CHECK: %[[P:.*]] = layer.matmul %[[X]], %[[W]]
// CHECK: layer.reshape %[[P]] : (tensor<3x2xf32>) -> tensor<1x1x3x2xf32>
func.func @antialias(%x: tensor<1x1x3x4xf32>) -> tensor<1x1x3x2xf32> {
  %y = graph.resize %x {scales = array<f32>, sizes = array<i64: -1, -1, -1, 2>, mode = 1 : i32, coordinates = 0 : i32, nearest = 0 : i32, policy = 0 : i32, region = array<f32>, cubicCoefficient = -0.75 : f32, extrapolation = 0.0 : f32, antialias, excludeOutside}
    : (tensor<1x1x3x4xf32>) -> tensor<1x1x3x2xf32>
  return %y : tensor<1x1x3x2xf32>
}

// -----

// A crop from a quarter before the first of five elements: the first of the result lies outside.
// CHECK-LABEL: func.func @crop
// CHECK: layer.constant dense<[0, 0, 1]> : tensor<3xi64>
// CHECK: %[[G:.*]] = layer.gather %arg0, %{{.*}} {axis = 0 : i64} : (tensor<5xf32>, tensor<3xi64>) -> tensor<3xf32>
// CHECK: %[[O:.*]] = layer.constant dense<[true, false, false]>
// CHECK: %[[N:.*]] = layer.constant dense<7.000000e+00>
// CHECK: layer.select %[[O]], %[[N]], %[[G]]
func.func @crop(%x: tensor<5xf32>) -> tensor<3xf32> {
  %y = graph.resize %x {scales = array<f32>, sizes = array<i64: 3>, mode = 0 : i32, coordinates = 6 : i32, nearest = 2 : i32, policy = 0 : i32, region = array<f32: -0.25, 0.25>, cubicCoefficient = -0.75 : f32, extrapolation = 7.0 : f32}
    : (tensor<5xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

// Volumes: each of the three axes is resized by a product of its own.
// CHECK-LABEL: func.func @volume
// CHECK-COUNT-3: layer.matmul
// CHECK-NOT: layer.matmul
func.func @volume(%x: tensor<1x2x2x2x2xf32>) -> tensor<1x2x4x4x4xf32> {
  %y = graph.resize %x {scales = array<f32: 1.0, 1.0, 2.0, 2.0, 2.0>, sizes = array<i64>, mode = 1 : i32, coordinates = 0 : i32, nearest = 0 : i32, policy = 0 : i32, region = array<f32>, cubicCoefficient = -0.75 : f32, extrapolation = 0.0 : f32}
    : (tensor<1x2x2x2x2xf32>) -> tensor<1x2x4x4x4xf32>
  return %y : tensor<1x2x4x4x4xf32>
}
