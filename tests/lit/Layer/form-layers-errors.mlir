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

func.func @results(%x: tensor<2x5xf32>) -> tensor<10xi64> {
  // expected-error @+1 {{outputs[0]: the tensor has rank 1, but NonZero needs rank 2 here}}
  %y = graph.opaque "" 21 "NonZero" (%x) {} present [true] : (tensor<2x5xf32>) -> tensor<10xi64>
  return %y : tensor<10xi64>
}

// -----

func.func @volume(%x: tensor<1x2x4x4x4xf32>, %w: tensor<3x2x1x1x1xf32>) -> tensor<1x3x4x4x4xf32> {
  // expected-error @+1 {{images of 3 spatial axes are not supported by the accelerator}}
  %y = graph.conv %x, %w {dilations = array<i64: 1, 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0, 0, 0>, strides = array<i64: 1, 1, 1>}
    : (tensor<1x2x4x4x4xf32>, tensor<3x2x1x1x1xf32>) -> tensor<1x3x4x4x4xf32>
  return %y : tensor<1x3x4x4x4xf32>
}

// -----

func.func @empty(%x: tensor<0x3xf32>) -> tensor<0x3xf32> {
  // expected-error @+1 {{tensors without elements are not supported by the accelerator}}
  %y = graph.relu %x : tensor<0x3xf32>
  return %y : tensor<0x3xf32>
}

// -----

// expected-error @unknown {{output 'nothing' is a copy of another tensor, but tensors without elements are not supported by the accelerator}}
func.func @empty_constant() -> (tensor<0xf32> {graph.name = "nothing"}) {
  %y = graph.constant dense<> : tensor<0xf32>
  return %y : tensor<0xf32>
}

// -----

func.func @used_empty_constant(%x: tensor<3xf32>) -> tensor<3xf32> {
  %none = graph.constant dense<> : tensor<0xf32>
  // expected-error @+1 {{tensors without elements are not supported by the accelerator}}
  %y = graph.concat %none, %x {axis = 0 : i64} : (tensor<0xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

func.func @padding(%x: tensor<4xf32>) -> tensor<12xf32> {
  // expected-error @+1 {{padding that repeats the image more than once is not supported by the accelerator}}
  %y = graph.pad %x {pads = array<i64: 4, 4>, mode = 1 : i32} : (tensor<4xf32>) -> tensor<12xf32>
  return %y : tensor<12xf32>
}

// -----

func.func @padding_with(%x: tensor<4xf32>, %v: tensor<f32>) -> tensor<5xf32> {
  // expected-error @+1 {{padding with a value that is not a constant float is not supported by the accelerator}}
  %y = graph.pad %x, %v {pads = array<i64: 0, 1>, mode = 0 : i32} : (tensor<4xf32>, tensor<f32>) -> tensor<5xf32>
  return %y : tensor<5xf32>
}

// -----

// The input is read both as plain integers and as quantised values, so that it has no unique scale.
func.func @two_readings(%x: tensor<2x2xi8>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %s = graph.constant dense<0.5> : tensor<f32>
  // expected-error @+1 {{reading integers with another scale than they were quantised with is not supported by the accelerator}}
  %y = graph.dequantize_linear %x, %s {axis = 1 : i64} : (tensor<2x2xi8>, tensor<f32>) -> tensor<2x2xf32>
  %z = graph.cast %x : (tensor<2x2xi8>) -> tensor<2x2xf32>
  return %y, %z : tensor<2x2xf32>, tensor<2x2xf32>
}

// -----

func.func @rows(%x: tensor<2x2xi8>) -> tensor<2x2xi8> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %ss = graph.constant dense<[0.5, 0.25]> : tensor<2xf32>
  %z = graph.constant dense<0> : tensor<i8>
  %zz = graph.constant dense<0> : tensor<2xi8>
  // expected-error @+1 {{a scale for each row is not supported by the accelerator}}
  %y = graph.qlinear_matmul %x, %ss, %zz, %x, %s, %z, %s, %z
    : (tensor<2x2xi8>, tensor<2xf32>, tensor<2xi8>, tensor<2x2xi8>, tensor<f32>, tensor<i8>, tensor<f32>, tensor<i8>) -> tensor<2x2xi8>
  return %y : tensor<2x2xi8>
}

// -----

// The error names every unsupported operation, not only the first.
func.func @all(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error @+1 {{neither the accelerator nor the host supports First}}
  %y = graph.opaque "" 21 "First" (%x) {} present [true] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // expected-error @+1 {{neither the accelerator nor the host supports Second}}
  %z = graph.opaque "" 21 "Second" (%y) {} present [true] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %z : tensor<2x3xf32>
}

// -----

// Integers are resized only by copies of their elements.
func.func @resized(%x: tensor<1x2x3x4xi32>) -> tensor<1x4x6x8xi32> {
  // expected-error @+1 {{interpolation of integers is not supported by the accelerator}}
  %y = graph.resize %x {scales = array<f32: 1.0, 2.0, 2.0, 2.0>, sizes = array<i64>, mode = 1 : i32, coordinates = 0 : i32, nearest = 0 : i32, policy = 0 : i32, region = array<f32>, cubicCoefficient = -0.75 : f32, extrapolation = 0.0 : f32}
    : (tensor<1x2x3x4xi32>) -> tensor<1x4x6x8xi32>
  return %y : tensor<1x4x6x8xi32>
}

// -----

func.func @doubles(%x: tensor<4xf64>) -> tensor<4xf64> {
  // expected-error @+1 {{the machine has no instructions for elements of type f64}}
  %y = graph.exp %x : tensor<4xf64>
  return %y : tensor<4xf64>
}

// -----

func.func @limits(%b: tensor<1x8x4xf32>, %s: tensor<1x3x8xf32>, %m: tensor<1xi64>) -> tensor<?x3xi64> {
  // expected-error @+1 {{its limits must be constants with one element, so that the number of selected boxes is bounded}}
  %n = graph.opaque "" 21 "NonMaxSuppression"(%b, %s, %m) {} present [true, true, true] : (tensor<1x8x4xf32>, tensor<1x3x8xf32>, tensor<1xi64>) -> tensor<?x3xi64>
  return %n : tensor<?x3xi64>
}

// -----

// The default of ONNX for a missing limit is that no box is selected.
func.func @nothing(%b: tensor<1x8x4xf32>, %s: tensor<1x3x8xf32>) -> tensor<?x3xi64> {
  // expected-error @+1 {{its result is always empty, which is not supported}}
  %n = graph.opaque "" 21 "NonMaxSuppression"(%b, %s) {} present [true, true] : (tensor<1x8x4xf32>, tensor<1x3x8xf32>) -> tensor<?x3xi64>
  return %n : tensor<?x3xi64>
}

// -----

func.func @read(%x: tensor<3x4xf32>) -> tensor<2x?xi64> {
  // expected-error @+1 {{the length of its result depends on the data, which is supported only for outputs of the model}}
  %n = graph.opaque "" 21 "NonZero"(%x) {} present [true] : (tensor<3x4xf32>) -> tensor<2x?xi64>
  // expected-error @+1 {{neither the accelerator nor the host supports Later}}
  %y = graph.opaque "" 21 "Later"(%n) {} present [true] : (tensor<2x?xi64>) -> tensor<2x?xi64>
  return %y : tensor<2x?xi64>
}

// -----

func.func @matmul_of_integers(%x: tensor<2x3xi32>, %w: tensor<3x4xi32>) -> tensor<2x4xi32> {
  // expected-error @+1 {{products of integers without a quantisation scale are not supported by the accelerator}}
  %y = graph.matmul %x, %w : (tensor<2x3xi32>, tensor<3x4xi32>) -> tensor<2x4xi32>
  return %y : tensor<2x4xi32>
}

// -----

func.func @gemm_of_integers(%x: tensor<2x3xi64>, %w: tensor<3x4xi64>) -> tensor<2x4xi64> {
  // expected-error @+1 {{products of integers without a quantisation scale are not supported by the accelerator}}
  %y = graph.gemm %x, %w {alpha = 1.0 : f32, beta = 1.0 : f32} : (tensor<2x3xi64>, tensor<3x4xi64>) -> tensor<2x4xi64>
  return %y : tensor<2x4xi64>
}

// -----

func.func @mean_of_integers(%x: tensor<2x3xi32>) -> tensor<2x1xi32> {
  // expected-error @+1 {{means, roots and logarithms of integers are not supported by the accelerator}}
  %y = graph.reduce_mean %x {axes = array<i64: 1>, keepdims} : (tensor<2x3xi32>) -> tensor<2x1xi32>
  return %y : tensor<2x1xi32>
}

// -----

func.func @norm_of_integers(%x: tensor<2x3xi32>) -> tensor<2x1xi32> {
  // expected-error @+1 {{means, roots and logarithms of integers are not supported by the accelerator}}
  %y = graph.reduce_l2 %x {axes = array<i64: 1>, keepdims} : (tensor<2x3xi32>) -> tensor<2x1xi32>
  return %y : tensor<2x1xi32>
}

// -----

func.func @scatter_of_halves(%x: tensor<2x3xf16>, %i: tensor<2x1xi64>, %u: tensor<2x1xf16>) -> tensor<2x3xf16> {
  // expected-error @+1 {{the host does not support scatter reductions of 16-bit floats or bools}}
  %y = graph.scatter_elements %x, %i, %u {axis = 1 : i64, reduction = 1 : i32} : (tensor<2x3xf16>, tensor<2x1xi64>, tensor<2x1xf16>) -> tensor<2x3xf16>
  return %y : tensor<2x3xf16>
}

// -----

func.func @limit_of_several(%b: tensor<1x6x4xf32>, %s: tensor<1x3x6xf32>, %n: tensor<2xi64>) -> tensor<9x3xi64> {
  // expected-error @+1 {{each limit must have one element}}
  %y = graph.opaque "" 21 "NonMaxSuppression" (%b, %s, %n) {} present [true, true, true] : (tensor<1x6x4xf32>, tensor<1x3x6xf32>, tensor<2xi64>) -> tensor<9x3xi64>
  return %y : tensor<9x3xi64>
}

// -----

func.func @more_results(%x: tensor<1x1x3x2xf32>, %grid: tensor<1x2x4x2xf32>) -> (tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>) {
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
