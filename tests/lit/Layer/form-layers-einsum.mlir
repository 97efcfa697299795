// RUN: tilerig-opt %s -form-layers=only=host -canonicalize -split-input-file -verify-diagnostics | FileCheck %s

// Attention scores: batch and head are kept, the sum is over columns.
// CHECK-LABEL: func.func @scores
// CHECK: %[[K:.*]] = layer.transpose %arg1 {perm = array<i64: 0, 1, 3, 2>}
// CHECK: layer.matmul %arg0, %[[K]] {transposedB} : (tensor<2x3x4x5xf32>, tensor<2x3x5x6xf32>) -> tensor<2x3x4x6xf32>
func.func @scores(%q: tensor<2x3x4x5xf32>, %k: tensor<2x3x6x5xf32>) -> tensor<2x3x4x6xf32> {
  %y = graph.einsum %q, %k {equation = "bhid,bhjd->bhij"} : (tensor<2x3x4x5xf32>, tensor<2x3x6x5xf32>) -> tensor<2x3x4x6xf32>
  return %y : tensor<2x3x4x6xf32>
}

// -----

// An outer product: no letter of both operands is summed over. The letter that only one operand has and the
// result lacks is reduced first.
// CHECK-LABEL: func.func @outer
// CHECK: %[[S:.*]] = layer.reduce sum %arg1
// CHECK: layer.binary mul
func.func @outer(%a: tensor<3xf32>, %b: tensor<4x7xf32>) -> tensor<4x3xf32> {
  %y = graph.einsum %a, %b {equation = "i,jk->ji"} : (tensor<3xf32>, tensor<4x7xf32>) -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// -----

func.func @diagonal(%a: tensor<3x3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{a diagonal (one letter twice in an operand) is not supported by the accelerator}}
  %y = graph.einsum %a {equation = "ii->i"} : (tensor<3x3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

func.func @integers(%a: tensor<3xi32>) -> tensor<i32> {
  // expected-error @+1 {{products of integers without a quantisation scale are not supported by the accelerator}}
  %y = graph.einsum %a {equation = "i->"} : (tensor<3xi32>) -> tensor<i32>
  return %y : tensor<i32>
}

// -----

// CHECK-LABEL: func.func @places
// CHECK: layer.constant dense<{{\[\[}}true, true, true], [false, true, true]]> : tensor<2x3xi1>
// CHECK: layer.select
// CHECK: layer.binary equal
// CHECK: layer.binary or
// CHECK: layer.select
// CHECK: layer.pad
// CHECK: layer.binary add
// CHECK: layer.pad
// CHECK: layer.binary add
func.func @places(%x: tensor<2x3xf32>, %i: tensor<2xi64>, %v: tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x3xf32>) {
  %t = graph.trilu %x {diagonal = 0 : i64, upper} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %h = graph.one_hot %i, %v {axis = 1 : i64, depth = 4 : i64} : (tensor<2xi64>, tensor<2xf32>) -> tensor<2x4xf32>
  %s = graph.cum_sum %x {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %t, %h, %s : tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x3xf32>
}

// -----

// Integers have no padding: zeros are joined to the shifted tensor.
// CHECK-LABEL: func.func @running
// CHECK: %[[S:.*]] = layer.slice %arg0 {{.*}} -> tensor<2x2xi32>
// CHECK: %[[J:.*]] = layer.concat %{{.*}}, %[[S]] {axis = 1 : i64}
// CHECK: layer.binary add %arg0, %[[J]]
func.func @running(%x: tensor<2x3xi32>) -> tensor<2x3xi32> {
  %y = graph.cum_sum %x {axis = 1 : i64} : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return %y : tensor<2x3xi32>
}
