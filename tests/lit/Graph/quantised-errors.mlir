// RUN: tilerig-opt %s -split-input-file -verify-diagnostics

func.func @scale_of_another_size(%x: tensor<2x4xf32>, %s: tensor<3xf32>) -> tensor<2x4xui8> {
  // expected-error @+1 {{scale of shape 3 does not fit axis 1 of shape 2x4}}
  %q = graph.quantize_linear %x, %s {axis = 1 : i64} : (tensor<2x4xf32>, tensor<3xf32>) -> tensor<2x4xui8>
  return %q : tensor<2x4xui8>
}

// -----

// Four columns in blocks of three need two scales per row: the last block is shorter.
func.func @block_of_another_size(%x: tensor<2x4xi8>, %s: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // expected-error @+1 {{scale of shape 2x4 does not fit axis 1 of shape 2x4}}
  %y = graph.dequantize_linear %x, %s {axis = 1 : i64, blockSize = 3 : i64} : (tensor<2x4xi8>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

func.func @zero_point_of_another_type(%x: tensor<4xi8>, %s: tensor<f32>, %z: tensor<ui8>) -> tensor<4xf32> {
  // expected-error @+1 {{the zero point has type 'ui8', but the quantised values have type 'i8'}}
  %y = graph.dequantize_linear %x, %s, %z {axis = 0 : i64} : (tensor<4xi8>, tensor<f32>, tensor<ui8>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @more_zero_points_than_scales(%x: tensor<4xi8>, %s: tensor<f32>, %z: tensor<4xi8>) -> tensor<4xf32> {
  // expected-error @+1 {{the zero point has shape 4, but the scale has shape scalar}}
  %y = graph.dequantize_linear %x, %s, %z {axis = 0 : i64} : (tensor<4xi8>, tensor<f32>, tensor<4xi8>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @another_shape(%x: tensor<4xi8>, %s: tensor<f32>) -> tensor<2xf32> {
  // expected-error @+1 {{the input has shape 4, but the result has shape 2}}
  %y = graph.dequantize_linear %x, %s {axis = 0 : i64} : (tensor<4xi8>, tensor<f32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @result_of_another_type(%a: tensor<2x3xui8>, %s: tensor<f32>, %z: tensor<ui8>, %b: tensor<3x5xui8>) -> tensor<2x5xi8> {
  // expected-error @+1 {{the result has type 'tensor<2x5xi8>', expected shape 2x5 of 'ui8'}}
  %q = graph.qlinear_matmul %a, %s, %z, %b, %s, %z, %s, %z : (tensor<2x3xui8>, tensor<f32>, tensor<ui8>, tensor<3x5xui8>, tensor<f32>, tensor<ui8>, tensor<f32>, tensor<ui8>) -> tensor<2x5xi8>
  return %q : tensor<2x5xi8>
}

// -----

func.func @scale_for_other_columns(%a: tensor<2x3xui8>, %s: tensor<f32>, %z: tensor<ui8>, %b: tensor<3x5xui8>, %bs: tensor<4xf32>) -> tensor<2x5xui8> {
  // expected-error @+1 {{scale or zero point has shape 4, expected one element or 5 for an operand of shape 3x5}}
  %q = graph.qlinear_matmul %a, %s, %z, %b, %bs, %z, %s, %z : (tensor<2x3xui8>, tensor<f32>, tensor<ui8>, tensor<3x5xui8>, tensor<4xf32>, tensor<ui8>, tensor<f32>, tensor<ui8>) -> tensor<2x5xui8>
  return %q : tensor<2x5xui8>
}

// -----

func.func @wide_operand(%a: tensor<2x3xi16>, %b: tensor<3x5xi8>) -> tensor<2x5xi32> {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of 8-bit}}
  %q = graph.matmul_integer %a, %b : tensor<2x3xi16>, tensor<3x5xi8> -> tensor<2x5xi32>
  return %q : tensor<2x5xi32>
}

// -----

func.func @channels(%x: tensor<1x3x8x8xui8>, %w: tensor<4x2x3x3xi8>) -> tensor<1x4x6x6xi32> {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{weights of shape 4x2x3x3 in 1 groups do not fit an image of shape 1x3x8x8}}
  %c = graph.conv_integer %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
    : tensor<1x3x8x8xui8>, tensor<4x2x3x3xi8> -> tensor<1x4x6x6xi32>
  return %c : tensor<1x4x6x6xi32>
}
