// RUN: tilerig-opt %s -split-input-file -verify-diagnostics

func.func @activate_shape(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{the result has shape 3x2, expected 2x3}}
  %y = layer.activate by <relu> %x : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @no_such_function(%x: tensor<2xf32>) {
  // expected-error @+1 {{'softmax' is not a value that the instruction set defines for this field}}
  %y = layer.activate by <softmax> %x : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// A clip needs two bounds; here the upper one is missing.
func.func @one_bound(%x: tensor<2xf32>) {
  // expected-error @+1 {{expected ','}}
  %y = layer.activate by <clip 0.0> %x : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @bound_of_relu(%x: tensor<2xf32>) {
  // expected-error @+1 {{expected '>'}}
  %y = layer.activate by <relu 0.0> %x : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @binary_shapes(%x: tensor<2x3xf32>, %z: tensor<2xf32>) {
  // expected-error @+1 {{operands of shapes 2x3 and 2 cannot be broadcast}}
  %y = layer.binary add %x, %z : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @binary_result(%x: tensor<2x3xf32>, %z: tensor<1xf32>) {
  // expected-error @+1 {{the result has shape 1, expected 2x3}}
  %y = layer.binary add %x, %z : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @binary_types(%x: tensor<2xf32>, %z: tensor<2xi32>) {
  // expected-error @+1 {{operands have incompatible element types, 'f32' and 'i32'}}
  %y = layer.binary add %x, %z : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>
  return
}

// -----

func.func @comparison_of_floats(%x: tensor<2xf32>, %z: tensor<2xf32>) {
  // expected-error @+1 {{the operation is a comparison, so its element type must be i1 or ui8, not 'f32'}}
  %y = layer.binary less %x, %z : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @comparison_then(%x: tensor<2xf32>, %z: tensor<2xf32>) {
  // expected-error @+1 {{the operation is a comparison, to whose result no activation function can be applied}}
  %y = layer.binary equal %x, %z then <not> : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  return
}

// -----

func.func @no_such_binary(%x: tensor<2xf32>) {
  // expected-error @+2 {{failed to parse Layer_BinaryKind parameter}}
  // expected-error @+1 {{'hypot' is not a value that the instruction set defines for this field}}
  %y = layer.binary hypot %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @select_shapes(%c: tensor<4xi1>, %x: tensor<2x3xf32>, %z: tensor<3xf32>) {
  // expected-error @+1 {{the shapes of the operands cannot be broadcast}}
  %y = layer.select %c, %x, %z : (tensor<4xi1>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @select_values(%c: tensor<1xi1>, %x: tensor<2xf32>, %z: tensor<3xf32>) {
  // expected-error @+1 {{the shapes of the operands cannot be broadcast}}
  %y = layer.select %c, %x, %z : (tensor<1xi1>, tensor<2xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @select_condition(%c: tensor<3xf32>, %x: tensor<2x3xf32>, %z: tensor<3xf32>) {
  // expected-error @+1 {{the condition must be boolean (i1 or ui8), not 'f32'}}
  %y = layer.select %c, %x, %z : (tensor<3xf32>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @select_types(%c: tensor<3xi1>, %x: tensor<2x3xf32>, %z: tensor<3xi32>) {
  // expected-error @+1 {{operands have incompatible element types, 'f32' and 'i32'}}
  %y = layer.select %c, %x, %z : (tensor<3xi1>, tensor<2x3xf32>, tensor<3xi32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @select_result(%c: tensor<4x1x1xi1>, %x: tensor<2x3xf32>, %z: tensor<3xf32>) {
  // expected-error @+1 {{the result has shape 2x3, expected 4x2x3}}
  %y = layer.select %c, %x, %z : (tensor<4x1x1xi1>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}
