// RUN: tilerig-opt %s -form-layers=only=host -split-input-file -verify-diagnostics

func.func @einsum(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  // expected-error @+1 {{neither the accelerator nor the host supports Einsum}}
  %y = graph.opaque "" 21 "Einsum" (%x) {equation = "ij->ji"} present [true] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// -----

// Refused: an operator of another domain than ONNX's, although the host has a kernel of this name.
func.func @domain(%x: tensor<2x3xf32>) -> tensor<2x6xi64> {
  // expected-error @+1 {{neither the accelerator nor the host supports NonZero}}
  %y = graph.opaque "com.example" 21 "NonZero" (%x) {} present [true] : (tensor<2x3xf32>) -> tensor<2x6xi64>
  return %y : tensor<2x6xi64>
}

// -----

func.func @missing(%x: tensor<2x5xf32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{NonMaxSuppression needs its first 2 inputs}}
  %y = graph.opaque "" 21 "NonMaxSuppression" (%x) {} present [true] : (tensor<2x5xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @ranks(%b: tensor<6x4xf32>, %s: tensor<1x3x6xf32>) -> tensor<9x3xi64> {
  // expected-error @+1 {{inputs[0]: the tensor has rank 2, but NonMaxSuppression needs rank 3 here}}
  %y = graph.opaque "" 21 "NonMaxSuppression" (%b, %s) {} present [true, true] : (tensor<6x4xf32>, tensor<1x3x6xf32>) -> tensor<9x3xi64>
  return %y : tensor<9x3xi64>
}

// -----

func.func @sizes(%b: tensor<1x6x4xf32>, %s: tensor<1x3x7xf32>) -> tensor<9x3xi64> {
  // expected-error @+1 {{inputs[1]: the tensor has size 7 in dimension 2, but NonMaxSuppression needs size 6 there}}
  %y = graph.opaque "" 21 "NonMaxSuppression" (%b, %s) {} present [true, true] : (tensor<1x6x4xf32>, tensor<1x3x7xf32>) -> tensor<9x3xi64>
  return %y : tensor<9x3xi64>
}

// -----

// The number of boxes is not known here, but the types of the inputs are checked.
func.func @types(%b: tensor<1x6x4xf32>, %s: tensor<1x3x6xf32>) -> tensor<?x3xi64> {
  %most = graph.constant dense<3> : tensor<1xi32>
  // expected-error @+1 {{inputs[2]: the tensor has type int32, but NonMaxSuppression needs int64 here}}
  %y = graph.opaque "" 21 "NonMaxSuppression" (%b, %s, %most) {} present [true, true, true] : (tensor<1x6x4xf32>, tensor<1x3x6xf32>, tensor<1xi32>) -> tensor<?x3xi64>
  return %y : tensor<?x3xi64>
}

// -----

func.func @results(%x: tensor<1x1x3x2xf32>, %grid: tensor<1x2x4x2xf32>) -> (tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>) {
  // expected-error @+1 {{has 2 results, but its operator computes 1}}
  %y:2 = graph.opaque "" 21 "GridSample" (%x, %grid) {} present [true, true] : (tensor<1x1x3x2xf32>, tensor<1x2x4x2xf32>) -> (tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>)
  return %y#0, %y#1 : tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>
}

// -----

func.func @deep(%i: tensor<2xi64>, %v: tensor<2xf32>) -> tensor<2x20000000xf32> {
  // expected-error @+1 {{a depth of more than 16777216 is not supported by the accelerator}}
  %h = graph.one_hot %i, %v {axis = 1 : i64, depth = 20000000 : i64} : (tensor<2xi64>, tensor<2xf32>) -> tensor<2x20000000xf32>
  return %h : tensor<2x20000000xf32>
}

// -----

func.func @complex(%x: tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>> {
  // expected-error @+1 {{complex numbers are not supported by the accelerator}}
  %t = graph.trilu %x {diagonal = 0 : i64, upper} : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xcomplex<f32>>
  return %t : tensor<2x3xcomplex<f32>>
}
