// RUN: tilerig-opt %s -fold-constants -canonicalize | FileCheck %s

// Exporters write "flatten" as a chain: the first element of the shape, concatenated with -1.
// CHECK-LABEL: func.func @chain
// CHECK-NEXT: %[[C:.*]] = graph.constant dense<[2, -1]> : tensor<2xi64>
// CHECK-NEXT: return %[[C]]
func.func @chain() -> tensor<2xi64> {
  %shape = graph.constant dense<[2, 3, 4]> : tensor<3xi64>
  %zero = graph.constant dense<0> : tensor<1xi64>
  %rest = graph.constant dense<-1> : tensor<1xi64>
  %first = graph.gather %shape, %zero {axis = 0 : i64} : (tensor<3xi64>, tensor<1xi64>) -> tensor<1xi64>
  %y = graph.concat %first, %rest {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  return %y : tensor<2xi64>
}

// CHECK-LABEL: func.func @arithmetic
// CHECK: graph.constant dense<{{\[\[}}1.100000e+01, 2.200000e+01], [1.300000e+01, 2.400000e+01]]> : tensor<2x2xf32>
func.func @arithmetic() -> tensor<2x2xf32> {
  %a = graph.constant dense<[[1.0], [3.0]]> : tensor<2x1xf32>
  %b = graph.constant dense<[10.0, 21.0]> : tensor<2xf32>
  %y = graph.add %a, %b : (tensor<2x1xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// An integer remainder has the sign of the divisor; with fmod, that of the dividend.
// CHECK-LABEL: func.func @remainders
// CHECK-DAG: graph.constant dense<[2, -1, 0, -2]> : tensor<4xi64>
// CHECK-DAG: graph.constant dense<[-1, 2, 0, -2]> : tensor<4xi64>
// CHECK-DAG: graph.constant dense<[-1.000000e+00, 5.000000e-01]> : tensor<2xf32>
func.func @remainders() -> (tensor<4xi64>, tensor<4xi64>, tensor<2xf32>) {
  %a = graph.constant dense<[-7, 8, -6, -8]> : tensor<4xi64>
  %b = graph.constant dense<[3, -3, 3, -3]> : tensor<4xi64>
  %x = graph.constant dense<[-4.0, 3.5]> : tensor<2xf32>
  %y = graph.constant dense<[3.0, -3.0]> : tensor<2xf32>
  %floored = graph.mod %a, %b : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  %cut = graph.mod %a, %b {fmod} : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  %real = graph.mod %x, %y {fmod} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %floored, %cut, %real : tensor<4xi64>, tensor<4xi64>, tensor<2xf32>
}

// CHECK-LABEL: func.func @fault_of_a_divisor
// CHECK: graph.mod
func.func @fault_of_a_divisor() -> tensor<2xi64> {
  %a = graph.constant dense<[5, 6]> : tensor<2xi64>
  %b = graph.constant dense<[3, 0]> : tensor<2xi64>
  %y = graph.mod %a, %b : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
  return %y : tensor<2xi64>
}

// CHECK-LABEL: func.func @truths
// CHECK-DAG: graph.constant dense<[true, true, false]> : tensor<3xi1>
// CHECK-DAG: graph.constant dense<[false, true, false]> : tensor<3xi1>
// CHECK-DAG: graph.constant dense<[true, false, true]> : tensor<3xi1>
func.func @truths() -> (tensor<3xi1>, tensor<3xi1>, tensor<3xi1>) {
  %a = graph.constant dense<[1, 2, 3]> : tensor<3xi64>
  %two = graph.constant dense<2> : tensor<i64>
  %most = graph.less_or_equal %a, %two : (tensor<3xi64>, tensor<i64>) -> tensor<3xi1>
  %least = graph.greater_or_equal %a, %two : (tensor<3xi64>, tensor<i64>) -> tensor<3xi1>
  %both = graph.and %most, %least : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
  %one = graph.xor %most, %least : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
  return %most, %both, %one : tensor<3xi1>, tensor<3xi1>, tensor<3xi1>
}

// Not folded: the index is outside its axis, which is an error at run time and not of the compiler.
// CHECK-LABEL: func.func @fault
// CHECK: graph.gather
func.func @fault() -> tensor<1xi64> {
  %shape = graph.constant dense<[2, 3, 4]> : tensor<3xi64>
  %far = graph.constant dense<7> : tensor<1xi64>
  %y = graph.gather %shape, %far {axis = 0 : i64} : (tensor<3xi64>, tensor<1xi64>) -> tensor<1xi64>
  return %y : tensor<1xi64>
}

// Not folded: expanding one number to a large constant only makes the model larger.
// CHECK-LABEL: func.func @grows
// CHECK: graph.expand
func.func @grows() -> tensor<100x100xf32> {
  %one = graph.constant dense<1.0> : tensor<1xf32>
  %y = graph.expand %one : (tensor<1xf32>) -> tensor<100x100xf32>
  return %y : tensor<100x100xf32>
}

// Casts: fp16 to fp32 is exact; a float is truncated to an integer if the integer type can hold it.
// CHECK-LABEL: func.func @casts
// CHECK: %[[R:.*]] = graph.constant dense<[1.500000e+00, -2.000000e+00]> : tensor<2xf32>
// CHECK: %[[I:.*]] = graph.constant dense<[2, -2]> : tensor<2xi64>
// CHECK: return %[[R]], %[[I]]
func.func @casts() -> (tensor<2xf32>, tensor<2xi64>) {
  %h = graph.constant dense<[1.5, -2.0]> : tensor<2xf16>
  %f = graph.constant dense<[2.75, -2.75]> : tensor<2xf32>
  %r = graph.cast %h : (tensor<2xf16>) -> tensor<2xf32>
  %i = graph.cast %f : (tensor<2xf32>) -> tensor<2xi64>
  return %r, %i : tensor<2xf32>, tensor<2xi64>
}

// Not folded: ONNX does not define the cast of a float that is outside of the integer type's range.
// CHECK-LABEL: func.func @casts_of_what_is_too_large
// CHECK: graph.cast %{{.*}} : (tensor<2xf32>) -> tensor<2xi32>
func.func @casts_of_what_is_too_large() -> tensor<2xi32> {
  %f = graph.constant dense<[1.0, 3.0e9]> : tensor<2xf32>
  %i = graph.cast %f : (tensor<2xf32>) -> tensor<2xi32>
  return %i : tensor<2xi32>
}

// Data decide how many results there are.
// CHECK-LABEL: func.func @open
// CHECK: graph.opaque "" 21 "NonZero"
func.func @open() -> tensor<2x?xi64> {
  %x = graph.constant dense<[[1.0, 0.0], [0.0, 2.0]]> : tensor<2x2xf32>
  %p = graph.opaque "" 21 "NonZero"(%x) {} present [true] : (tensor<2x2xf32>) -> tensor<2x?xi64>
  return %p : tensor<2x?xi64>
}
