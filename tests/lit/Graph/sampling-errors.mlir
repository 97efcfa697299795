// RUN: tilerig-opt %s -split-input-file -verify-diagnostics

func.func @both(%x: tensor<2x4xf32>) -> tensor<2x8xf32> {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{has 2 scales and 2 sizes, expected one scale or one size for each axis of shape 2x4}}
  %y = graph.resize %x {scales = array<f32: 1.0, 2.0>, sizes = array<i64: 2, 8>, mode = 0 : i32, coordinates = 0 : i32, nearest = 0 : i32, policy = 0 : i32, region = array<f32>, cubicCoefficient = -0.75 : f32, extrapolation = 0.0 : f32}
    : (tensor<2x4xf32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}

// -----

func.func @negative(%x: tensor<2x4xf32>) -> tensor<2x8xf32> {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{is not a positive number up to}}
  %y = graph.resize %x {scales = array<f32: 1.0, -2.0>, sizes = array<i64>, mode = 0 : i32, coordinates = 0 : i32, nearest = 0 : i32, policy = 0 : i32, region = array<f32>, cubicCoefficient = -0.75 : f32, extrapolation = 0.0 : f32}
    : (tensor<2x4xf32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}

// -----

func.func @no_region(%x: tensor<2x4xf32>) -> tensor<2x8xf32> {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{the region has 0 numbers for shape 2x4, expected two for each axis with tf_crop_and_resize, and none otherwise}}
  %y = graph.resize %x {scales = array<f32: 1.0, 2.0>, sizes = array<i64>, mode = 1 : i32, coordinates = 6 : i32, nearest = 0 : i32, policy = 0 : i32, region = array<f32>, cubicCoefficient = -0.75 : f32, extrapolation = 0.0 : f32}
    : (tensor<2x4xf32>) -> tensor<2x8xf32>
  return %y : tensor<2x8xf32>
}
