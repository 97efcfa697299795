// RUN: tilerig-opt %s | tilerig-opt | FileCheck %s

// Rows of the result: floor((224 + 2 * 3 - 7) / 2) + 1 = floor(223 / 2) + 1 = 112.
// CHECK-LABEL: func.func @strided
// CHECK: graph.conv %{{.*}}, %{{.*}} {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 3, 3, 3, 3>, strides = array<i64: 2, 2>}
// CHECK-SAME: -> tensor<1x64x112x112xf32>
func.func @strided(%x: tensor<1x3x224x224xf32>, %w: tensor<64x3x7x7xf32>) -> tensor<1x64x112x112xf32> {
  %y = graph.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 3, 3, 3, 3>, strides = array<i64: 2, 2>}
    : (tensor<1x3x224x224xf32>, tensor<64x3x7x7xf32>) -> tensor<1x64x112x112xf32>
  return %y : tensor<1x64x112x112xf32>
}

// A depthwise convolution with a bias keeps the number of channels.
// CHECK-LABEL: func.func @depthwise
// CHECK: groups = 8
func.func @depthwise(%x: tensor<2x8x5x5xf32>, %w: tensor<8x1x3x3xf32>, %b: tensor<8xf32>) -> tensor<2x8x5x5xf32> {
  %y = graph.conv %x, %w, %b {dilations = array<i64: 1, 1>, groups = 8 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>}
    : (tensor<2x8x5x5xf32>, tensor<8x1x3x3xf32>, tensor<8xf32>) -> tensor<2x8x5x5xf32>
  return %y : tensor<2x8x5x5xf32>
}

// With ceilMode the partial last window counts: ceil((6 - 3) / 2) + 1 = 3 windows instead of 2.
// CHECK-LABEL: func.func @ceil
// CHECK: graph.max_pool %{{.*}} {ceilMode
func.func @ceil(%x: tensor<1x1x6x6xf32>) -> tensor<1x1x3x3xf32> {
  %y = graph.max_pool %x {ceilMode, dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>}
    : (tensor<1x1x6x6xf32>) -> tensor<1x1x3x3xf32>
  return %y : tensor<1x1x3x3xf32>
}
