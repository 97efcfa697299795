// RUN: tilerig-opt %s -split-input-file -verify-diagnostics

func.func @reshape_count(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{shapes 2x3 and 2x4 have different numbers of elements}}
  %y = layer.reshape %x : (tensor<2x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @reshape_type(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{operands and result must have the same element type, not 'f16' and 'f32'}}
  %y = layer.reshape %x : (tensor<2x3xf32>) -> tensor<6xf16>
  return
}

// -----

func.func @transpose_twice(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{perm 1x1 is not a permutation of 2 axes}}
  %y = layer.transpose %x {perm = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @transpose_short(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{perm 0 is not a permutation of 2 axes}}
  %y = layer.transpose %x {perm = array<i64: 0>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @transpose_shape(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{the result has shape 2x3, expected 3x2}}
  %y = layer.transpose %x {perm = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @transpose_type(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{operands and result must have the same element type, not 'i32' and 'f32'}}
  %y = layer.transpose %x {perm = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xi32>
  return
}

// -----

func.func @expand_rank(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{input and result must have the same number of axes}}
  %y = layer.expand %x : (tensor<2x3xf32>) -> tensor<4x2x3xf32>
  return
}

// -----

func.func @expand_two(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{the input of shape 2x3 cannot be broadcast to 4x3}}
  %y = layer.expand %x : (tensor<2x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @expand_less(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{the input of shape 2x3 cannot be broadcast to 1x3}}
  %y = layer.expand %x : (tensor<2x3xf32>) -> tensor<1x3xf32>
  return
}

// -----

func.func @expand_type(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{operands and result must have the same element type, not 'f16' and 'f32'}}
  %y = layer.expand %x : (tensor<2x3xf32>) -> tensor<2x3xf16>
  return
}

// -----

func.func @concat_nothing() {
  // expected-error @+1 {{the concatenation has no inputs to concatenate}}
  %y = "layer.concat"() <{axis = 0 : i64}> : () -> tensor<1xf32>
  return
}

// -----

func.func @concat_axis(%x: tensor<2x3xf32>, %z: tensor<2x3xf32>) {
  // expected-error @+1 {{axis 2 does not exist in its input}}
  %y = layer.concat %x, %z {axis = 2 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @concat_rank(%x: tensor<2x3xf32>, %z: tensor<2xf32>) {
  // expected-error @+1 {{shape 2 cannot be concatenated to 2x3 along axis 0}}
  %y = layer.concat %x, %z {axis = 0 : i64} : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @concat_sizes(%x: tensor<2x3xf32>, %z: tensor<2x4xf32>) {
  // expected-error @+1 {{shape 2x4 cannot be concatenated to 2x3 along axis 0}}
  %y = layer.concat %x, %z {axis = 0 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @concat_result(%x: tensor<2x3xf32>, %z: tensor<2x4xf32>) {
  // expected-error @+1 {{the result has shape 2x6, expected 2x7}}
  %y = layer.concat %x, %z {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @concat_types(%x: tensor<2x3xf32>, %z: tensor<2x3xf16>) {
  // expected-error @+1 {{operands and result must have the same element type, not 'f16' and 'f32'}}
  %y = layer.concat %x, %z {axis = 0 : i64} : (tensor<2x3xf32>, tensor<2x3xf16>) -> tensor<4x3xf32>
  return
}

// -----

func.func @slice_starts(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{the slice needs a start and a step for every axis}}
  %y = layer.slice %x {starts = array<i64: 0>, steps = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @slice_rank(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{the slice needs a start and a step for every axis}}
  %y = layer.slice %x {starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @slice_end(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{the slice takes elements 1 to 3 on axis 1, which has only 3 elements}}
  %y = layer.slice %x {starts = array<i64: 0, 1>, steps = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @slice_start(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{the slice takes elements -1 to -1 on axis 0, which has only 2 elements}}
  %y = layer.slice %x {starts = array<i64: -1, 0>, steps = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<1x3xf32>
  return
}

// -----

func.func @slice_back(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{the slice takes elements 0 to -1 on axis 0, which has only 2 elements}}
  %y = layer.slice %x {starts = array<i64: 0, 0>, steps = array<i64: -1, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// A step of 0 would repeat an element, which is an expand and not a slice.
func.func @slice_still(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{the slice cannot take 3 of 3 elements in steps of 0}}
  %y = layer.slice %x {starts = array<i64: 0, 0>, steps = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @slice_far(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{the slice cannot take 3 of 3 elements in steps of 9223372036854775807}}
  %y = layer.slice %x {starts = array<i64: 0, 0>, steps = array<i64: 1, 9223372036854775807>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @slice_type(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{operands and result must have the same element type, not 'f16' and 'f32'}}
  %y = layer.slice %x {starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<1x1xf16>
  return
}

// -----

func.func @pad_count(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{the padding needs two pads for every axis}}
  %y = layer.pad %x {pads = array<i64: 1, 1>, value = 0.0 : f32} : (tensor<2x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @pad_negative(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{pads must not be negative}}
  %y = layer.pad %x {pads = array<i64: 0, 0, -1, 0>, value = 0.0 : f32} : (tensor<2x3xf32>) -> tensor<1x3xf32>
  return
}

// -----

func.func @pad_shape(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{the result has shape 2x4, expected 3x3}}
  %y = layer.pad %x {pads = array<i64: 0, 0, 1, 0>, value = 0.0 : f32} : (tensor<2x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @pad_type(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{operands and result must have the same element type, not 'f16' and 'f32'}}
  %y = layer.pad %x {pads = array<i64: 0, 0, 1, 0>, value = 0.0 : f32} : (tensor<2x3xf32>) -> tensor<3x3xf16>
  return
}

// -----

func.func @gather_axis(%x: tensor<2x3xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{axis 2 does not exist in its input}}
  %y = layer.gather %x, %i {axis = 2 : i64} : (tensor<2x3xf32>, tensor<4xi32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @gather_shape(%x: tensor<2x3xf32>, %i: tensor<4x5xi32>) {
  // expected-error @+1 {{the result has shape 4x3, expected 4x5x3}}
  %y = layer.gather %x, %i {axis = 0 : i64} : (tensor<2x3xf32>, tensor<4x5xi32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gather_by_floats(%x: tensor<2x3xf32>, %i: tensor<4xf32>) {
  // expected-error @+1 {{indices must be i32 or i64, not 'f32'}}
  %y = layer.gather %x, %i {axis = 0 : i64} : (tensor<2x3xf32>, tensor<4xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gather_type(%x: tensor<2x3xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{operands and result must have the same element type, not 'f16' and 'f32'}}
  %y = layer.gather %x, %i {axis = 0 : i64} : (tensor<2x3xf32>, tensor<4xi32>) -> tensor<4x3xf16>
  return
}
