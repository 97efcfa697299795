// RUN: tilerig-opt %s -split-input-file -verify-diagnostics

func.func @outside(%x: tensor<3x4xf32>, %i: tensor<2x5xi64>) -> tensor<2x5xf32> {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{indices of shape 2x5 do not fit data of shape 3x4}}
  %a = graph.gather_elements %x, %i {axis = 0 : i64} : (tensor<3x4xf32>, tensor<2x5xi64>) -> tensor<2x5xf32>
  return %a : tensor<2x5xf32>
}

// -----

func.func @long_tuples(%x: tensor<3x4xf32>, %i: tensor<2x3xi64>) -> tensor<2xf32> {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{indices of shape 2x3 with 0 batch axes do not fit data of shape 3x4}}
  %a = graph.gather_nd %x, %i {batchDims = 0 : i64} : (tensor<3x4xf32>, tensor<2x3xi64>) -> tensor<2xf32>
  return %a : tensor<2xf32>
}

// -----

func.func @updates(%x: tensor<3x4xf32>, %i: tensor<2x1xi64>, %u: tensor<2x3xf32>) -> tensor<3x4xf32> {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{updates have type 'tensor<2x3xf32>', expected shape 2x4 of 'f32'}}
  %a = graph.scatter_nd %x, %i, %u {reduction = 0 : i32} : (tensor<3x4xf32>, tensor<2x1xi64>, tensor<2x3xf32>) -> tensor<3x4xf32>
  return %a : tensor<3x4xf32>
}

// -----

func.func @too_many(%x: tensor<3x4xf32>) -> tensor<3x5xf32> {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{k is 5, out of range for axis 1 of shape 3x4}}
  %a, %b = graph.top_k %x {axis = 1 : i64, k = 5 : i64} : (tensor<3x4xf32>) -> (tensor<3x5xf32>, tensor<3x5xi64>)
  return %a : tensor<3x5xf32>
}

// -----

func.func @three_values(%i: tensor<3xi64>, %v: tensor<3xf32>) -> tensor<3x10xf32> {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{operand 'values' has shape 3, expected 2 (values off and on), or the depth is negative: 10}}
  %a = graph.one_hot %i, %v {axis = 1 : i64, depth = 10 : i64} : (tensor<3xi64>, tensor<3xf32>) -> tensor<3x10xf32>
  return %a : tensor<3x10xf32>
}

// -----

func.func @lengths(%x: tensor<3x4xf32>, %l: tensor<3xi64>) -> tensor<3x4xf32> {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{lengths have shape 3, expected one for each of 4 sequences}}
  %f = graph.reverse_sequence %x, %l {timeAxis = 0 : i64, batchAxis = 1 : i64} : (tensor<3x4xf32>, tensor<3xi64>) -> tensor<3x4xf32>
  return %f : tensor<3x4xf32>
}
