// RUN: tilerig-opt %s -form-global-pools -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @reductions
// CHECK-NEXT: %[[A:.*]] = graph.global_average_pool %arg0 : (tensor<1x2x3x4xf32>) -> tensor<1x2x1x1xf32>
// CHECK-NEXT: %[[B:.*]] = graph.global_max_pool %arg0 : (tensor<1x2x3x4xf32>) -> tensor<1x2x1x1xf32>
// CHECK-NEXT: %[[C:.*]] = graph.reshape %[[B]] : (tensor<1x2x1x1xf32>) -> tensor<1x2xf32>
// CHECK-NEXT: return %[[A]], %[[C]]
func.func @reductions(%x: tensor<1x2x3x4xf32>) -> (tensor<1x2x1x1xf32>, tensor<1x2xf32>) {
  %a = graph.reduce_mean %x {axes = array<i64: 2, 3>, keepdims} : (tensor<1x2x3x4xf32>) -> tensor<1x2x1x1xf32>
  %b = graph.reduce_max %x {axes = array<i64: 3, 2>} : (tensor<1x2x3x4xf32>) -> tensor<1x2xf32>
  return %a, %b : tensor<1x2x1x1xf32>, tensor<1x2xf32>
}

// Not global pools: a reduction over channels, one that leaves out a spatial axis, one of a sequence instead
// of an image, one of integers.
// CHECK-LABEL: func.func @others
// CHECK-NOT: global
func.func @others(%x: tensor<1x2x3x4xf32>, %s: tensor<1x2x3xf32>, %i: tensor<1x2x3x4xi32>)
    -> (tensor<1x1x1x1xf32>, tensor<1x2x3x1xf32>, tensor<1x2x1xf32>, tensor<1x2x1x1xi32>) {
  %a = graph.reduce_mean %x {axes = array<i64: 1, 2, 3>, keepdims} : (tensor<1x2x3x4xf32>) -> tensor<1x1x1x1xf32>
  %b = graph.reduce_mean %x {axes = array<i64: 3>, keepdims} : (tensor<1x2x3x4xf32>) -> tensor<1x2x3x1xf32>
  %c = graph.reduce_mean %s {axes = array<i64: 2>, keepdims} : (tensor<1x2x3xf32>) -> tensor<1x2x1xf32>
  %d = graph.reduce_max %i {axes = array<i64: 2, 3>, keepdims} : (tensor<1x2x3x4xi32>) -> tensor<1x2x1x1xi32>
  return %a, %b, %c, %d : tensor<1x1x1x1xf32>, tensor<1x2x3x1xf32>, tensor<1x2x1xf32>, tensor<1x2x1x1xi32>
}

// CHECK-LABEL: func.func @windows
// CHECK-NEXT: %[[A:.*]] = graph.global_average_pool %arg0
// CHECK-NEXT: %[[B:.*]] = graph.global_lp_pool %arg0 {p = 2 : i64}
// CHECK-NEXT: return %[[A]], %[[B]]
func.func @windows(%x: tensor<1x2x3x4xf32>) -> (tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>) {
  %a = graph.average_pool %x {kernel = array<i64: 3, 4>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>,
    pads = array<i64: 0, 0, 0, 0>} : (tensor<1x2x3x4xf32>) -> tensor<1x2x1x1xf32>
  %b = graph.lp_pool %x {kernel = array<i64: 3, 4>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
    pads = array<i64: 0, 0, 0, 0>, p = 2 : i64} : (tensor<1x2x3x4xf32>) -> tensor<1x2x1x1xf32>
  return %a, %b : tensor<1x2x1x1xf32>, tensor<1x2x1x1xf32>
}

// Not global pools: a window smaller than the image, and a window with padding.
// CHECK-LABEL: func.func @smaller
// CHECK-NOT: global
func.func @smaller(%x: tensor<1x2x3x3xf32>) -> (tensor<1x2x2x2xf32>, tensor<1x2x1x1xf32>) {
  %a = graph.max_pool %x {kernel = array<i64: 2, 2>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>,
    pads = array<i64: 0, 0, 0, 0>} : (tensor<1x2x3x3xf32>) -> tensor<1x2x2x2xf32>
  %b = graph.average_pool %x {kernel = array<i64: 3, 3>, strides = array<i64: 3, 3>, dilations = array<i64: 1, 1>,
    pads = array<i64: 1, 1, 0, 0>, countIncludePad} : (tensor<1x2x3x3xf32>) -> tensor<1x2x1x1xf32>
  return %a, %b : tensor<1x2x2x2xf32>, tensor<1x2x1x1xf32>
}
