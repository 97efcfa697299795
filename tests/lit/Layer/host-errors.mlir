// RUN: tilerig-opt %s -split-input-file -verify-diagnostics

func.func @unknown(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{the host has no kernel 'Einsum'}}
  %y = layer.host "Einsum"(%x) {} present [true] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @present(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{the number of inputs differs from the number of inputs that are marked as present}}
  %y = layer.host "NonZero"(%x) {} present [true, true] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @missing(%x: tensor<4x1x3xf32>, %r: tensor<1x8x2xf32>) {
  // expected-error @+1 {{LSTM needs its first 3 inputs}}
  %y = layer.host "LSTM"(%x, %r) {} present [true, false, true] : (tensor<4x1x3xf32>, tensor<1x8x2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @few(%x: tensor<2x5xf32>) {
  // expected-error @+1 {{NonMaxSuppression needs its first 2 inputs}}
  %y = layer.host "NonMaxSuppression"(%x) {} present [true] : (tensor<2x5xf32>) -> tensor<2x3xf32>
  return
}

// -----

// The result's size must be static.
func.func @open(%x: tensor<2x5xf32>) {
  // expected-error @+1 {{result #0 must be variadic of statically shaped tensor}}
  %y = layer.host "NonZero"(%x) {} present [true] : (tensor<2x5xf32>) -> tensor<2x?xi64>
  return
}

// -----

func.func @many(%x: tensor<2x5xf32>) {
  // expected-error @+1 {{there are 2 inputs, but NonZero takes at most 1}}
  %y = layer.host "NonZero"(%x, %x) {} present [true, true] : (tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<2x10xi64>
  return
}

// -----

func.func @results(%x: tensor<2x5xf32>) {
  // expected-error @+1 {{there are 2 outputs, but NonZero has at most 1}}
  %y, %z = layer.host "NonZero"(%x) {} present [true] : (tensor<2x5xf32>) -> (tensor<2x10xi64>, tensor<2x10xi64>)
  return
}

// -----

func.func @ranks(%b: tensor<6x4xf32>, %s: tensor<1x3x6xf32>) {
  // expected-error @+1 {{inputs[0]: the tensor has rank 2, but NonMaxSuppression needs rank 3 here}}
  %y = layer.host "NonMaxSuppression"(%b, %s) {} present [true, true] : (tensor<6x4xf32>, tensor<1x3x6xf32>) -> tensor<2x3xi64>
  return
}

// -----

func.func @sizes(%x: tensor<4x5xf32>, %i: tensor<4xi64>) {
  // expected-error @+1 {{outputs[0]: the tensor has shape [3, 5], but the first input of ReverseSequence has shape [4, 5]}}
  %y = layer.host "ReverseSequence"(%x, %i) {} present [true, true] : (tensor<4x5xf32>, tensor<4xi64>) -> tensor<3x5xf32>
  return
}
