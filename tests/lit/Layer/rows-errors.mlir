// RUN: tilerig-opt %s -split-input-file -verify-diagnostics

// In ONNX a reduction without axes reduces all; a layer must name its axes.
func.func @no_axes(%x: tensor<2x3x4xf32>) {
  // expected-error @+1 {{the reduction or normalisation must have at least one axis}}
  %y = layer.reduce sum %x {axes = array<i64>} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @axis_three(%x: tensor<2x3x4xf32>) {
  // expected-error @+1 {{axis 3 does not exist in its input}}
  %y = layer.reduce sum %x {axes = array<i64: 3>} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @axis_minus_one(%x: tensor<2x3x4xf32>) {
  // expected-error @+1 {{axis -1 does not exist in its input}}
  %y = layer.reduce sum %x {axes = array<i64: -1>} : (tensor<2x3x4xf32>) -> tensor<2x3x1xf32>
  return
}

// -----

func.func @axis_twice(%x: tensor<2x3x4xf32>) {
  // expected-error @+1 {{axis 1 is given twice}}
  %y = layer.reduce mean %x {axes = array<i64: 1, 1>} : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  return
}

// -----

func.func @axis_gone(%x: tensor<2x3x4xf32>) {
  // expected-error @+1 {{the result has shape 2x4, expected 2x1x4}}
  %y = layer.reduce sum %x {axes = array<i64: 1>} : (tensor<2x3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @index_of_two(%x: tensor<2x3x4xf32>) {
  // expected-error @+1 {{the index of a maximum or minimum needs exactly one axis}}
  %y = layer.reduce arg_max %x {axes = array<i64: 1, 2>} : (tensor<2x3x4xf32>) -> tensor<2x1x1xi32>
  return
}

// -----

func.func @index_of_floats(%x: tensor<2x3x4xf32>) {
  // expected-error @+1 {{the reduction returns an index, so its element type must be i32 or i64, not 'f32'}}
  %y = layer.reduce arg_min %x {axes = array<i64: 1>} : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  return
}

// -----

func.func @index_then(%x: tensor<2x3x4xf32>) {
  // expected-error @+1 {{the reduction returns an index, to which no activation function can be applied}}
  %y = layer.reduce arg_min %x then <neg> {axes = array<i64: 1>} : (tensor<2x3x4xf32>) -> tensor<2x1x4xi32>
  return
}

// -----

func.func @last_sum(%x: tensor<2x3x4xf32>) {
  // expected-error @+1 {{the reduction has the attribute 'lastIndex', but does not return an index}}
  %y = layer.reduce sum %x {axes = array<i64: 1>, lastIndex} : (tensor<2x3x4xf32>) -> tensor<2x1x4xf32>
  return
}

// -----

func.func @softmax_axis(%x: tensor<2x3x4xf32>) {
  // expected-error @+1 {{axis 3 does not exist in its input}}
  %y = layer.softmax %x {axis = 3 : i64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @softmax_of_a_number(%x: tensor<f32>) {
  // expected-error @+1 {{axis 0 does not exist in its input}}
  %y = layer.softmax %x {axis = 0 : i64} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @softmax_shape(%x: tensor<2x3x4xf32>) {
  // expected-error @+1 {{the result has shape 2x3x1, expected 2x3x4}}
  %y = layer.softmax %x {axis = 2 : i64} : (tensor<2x3x4xf32>) -> tensor<2x3x1xf32>
  return
}

// -----

func.func @norm_of_none(%x: tensor<2x3x4xf32>, %g: tensor<4xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{the reduction or normalisation must have at least one axis}}
  %y = layer.normalize mean_variance %x gain %g shift %s {axes = array<i64>, epsilon = 1.0e-5 : f32} : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @norm_axis(%x: tensor<2x3x4xf32>, %g: tensor<4xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{axis 3 does not exist in its input}}
  %y = layer.normalize mean_variance %x gain %g shift %s {axes = array<i64: 2, 3>, epsilon = 1.0e-5 : f32} : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @norm_twice(%x: tensor<2x3x4xf32>, %g: tensor<4xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{axis 2 is given twice}}
  %y = layer.normalize mean_variance %x gain %g shift %s {axes = array<i64: 2, 2>, epsilon = 1.0e-5 : f32} : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @norm_epsilon(%x: tensor<2x3x4xf32>, %g: tensor<4xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{epsilon must be finite and not negative}}
  %y = layer.normalize mean_variance %x gain %g shift %s {axes = array<i64: 2>, epsilon = -1.0 : f32} : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @norm_nan(%x: tensor<2x3x4xf32>, %g: tensor<4xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{epsilon must be finite and not negative}}
  %y = layer.normalize mean_variance %x gain %g shift %s {axes = array<i64: 2>, epsilon = 0x7FC00000 : f32} : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @norm_infinity(%x: tensor<2x3x4xf32>, %g: tensor<4xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{epsilon must be finite and not negative}}
  %y = layer.normalize mean_variance %x gain %g shift %s {axes = array<i64: 2>, epsilon = 0x7F800000 : f32} : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @norm_gain(%x: tensor<2x3x4xf32>, %g: tensor<3xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{the gain of shape 3 cannot be broadcast to 2x3x4}}
  %y = layer.normalize mean_variance %x gain %g shift %s {axes = array<i64: 2>, epsilon = 1.0e-5 : f32} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @norm_shift(%x: tensor<2x3x4xf32>, %g: tensor<4xf32>, %s: tensor<1x1x1x4xf32>) {
  // expected-error @+1 {{the shift of shape 1x1x1x4 cannot be broadcast to 2x3x4}}
  %y = layer.normalize mean_variance %x gain %g shift %s {axes = array<i64: 2>, epsilon = 1.0e-5 : f32} : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<1x1x1x4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @norm_shape(%x: tensor<2x3x4xf32>, %g: tensor<4xf32>, %s: tensor<4xf32>) {
  // expected-error @+1 {{the result has shape 2x3x1, expected 2x3x4}}
  %y = layer.normalize mean_variance %x gain %g shift %s {axes = array<i64: 2>, epsilon = 1.0e-5 : f32} : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x3x1xf32>
  return
}
