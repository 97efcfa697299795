// RUN: tilerig-opt %s -canonicalize | tilerig-opt | FileCheck %s

// CHECK-LABEL: func.func @slice
// CHECK: graph.slice %{{.*}} {ends = array<i64: 1, -1>, starts = array<i64: 0, 4>, steps = array<i64: 1, -2>}
func.func @slice(%x: tensor<2x5xf32>) -> tensor<1x3xf32> {
  %y = graph.slice %x {starts = array<i64: 0, 4>, ends = array<i64: 1, -1>, steps = array<i64: 1, -2>}
    : (tensor<2x5xf32>) -> tensor<1x3xf32>
  return %y : tensor<1x3xf32>
}

// A transpose from NCHW to NHWC and one back cancel.
// CHECK-LABEL: func.func @transposes
// CHECK-NEXT: return %arg0
func.func @transposes(%x: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
  %y = graph.transpose %x {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x2x3x4xf32>) -> tensor<1x3x4x2xf32>
  %z = graph.transpose %y {perm = array<i64: 0, 3, 1, 2>} : (tensor<1x3x4x2xf32>) -> tensor<1x2x3x4xf32>
  return %z : tensor<1x2x3x4xf32>
}

// Two consecutive reshapes become one, or none if the shape is the original one.
// CHECK-LABEL: func.func @reshapes
// CHECK-NEXT: %[[ONE:.*]] = graph.reshape %arg0 : (tensor<2x6xf32>) -> tensor<4x3xf32>
// CHECK-NEXT: return %[[ONE]], %arg0
func.func @reshapes(%x: tensor<2x6xf32>) -> (tensor<4x3xf32>, tensor<2x6xf32>) {
  %flat = graph.reshape %x : (tensor<2x6xf32>) -> tensor<12xf32>
  %y = graph.reshape %flat : (tensor<12xf32>) -> tensor<4x3xf32>
  %z = graph.reshape %flat : (tensor<12xf32>) -> tensor<2x6xf32>
  return %y, %z : tensor<4x3xf32>, tensor<2x6xf32>
}
