// Convolutions whose taps are far apart become convolutions of neighbouring elements.
// RUN: tilerig-opt %s -split-dilations="most-elements=99" | FileCheck %s

// Of 7 rows and columns, every third one becomes an image of its own: 3 x 3 images of 3 x 3 elements.
// CHECK-LABEL: func.func @both_axes
// CHECK: %[[R:.*]] = graph.pad %arg0 {{.*}}pads = array<i64: 0, 0, 0, 0, 0, 0, 2, 0>
// CHECK: graph.reshape %[[R]] : (tensor<2x4x9x7xf32>) -> tensor<2x4x3x3x7xf32>
// CHECK: graph.transpose {{.*}} {perm = array<i64: 0, 3, 1, 2, 4>}
// CHECK: graph.reshape {{.*}} -> tensor<6x4x3x7xf32>
// CHECK: graph.pad {{.*}}pads = array<i64: 0, 0, 0, 0, 0, 0, 0, 2>
// CHECK: graph.transpose {{.*}} {perm = array<i64: 0, 4, 1, 2, 3>}
// CHECK: graph.conv {{.*}} {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 1, 1>} : (tensor<18x4x3x3xf32>, tensor<5x4x3x3xf32>) -> tensor<18x5x3x3xf32>
// CHECK: graph.transpose {{.*}} {perm = array<i64: 0, 2, 3, 4, 1>}
// CHECK: graph.slice {{.*}} -> tensor<6x5x3x7xf32>
// CHECK: graph.transpose {{.*}} {perm = array<i64: 0, 2, 3, 1, 4>}
// CHECK: %[[Y:.*]] = graph.slice {{.*}} -> tensor<2x5x7x7xf32>
// CHECK: return %[[Y]]
func.func @both_axes(%x: tensor<2x4x7x7xf32>, %w: tensor<5x4x3x3xf32>) -> tensor<2x5x7x7xf32> {
  %y = graph.conv %x, %w {dilations = array<i64: 3, 3>, groups = 1 : i64, pads = array<i64: 3, 3, 3, 3>, strides = array<i64: 1, 1>}
    : (tensor<2x4x7x7xf32>, tensor<5x4x3x3xf32>) -> tensor<2x5x7x7xf32>
  return %y : tensor<2x5x7x7xf32>
}

// An axis whose padding is no multiple of the dilation, or with a stride, stays as it is.
// CHECK-LABEL: func.func @columns_only
// CHECK: graph.conv {{.*}} {dilations = array<i64: 2, 1>, groups = 1 : i64, pads = array<i64: 1, 0, 1, 0>, strides = array<i64: 1, 1>} : (tensor<2x4x8x4xf32>, {{.*}} -> tensor<2x5x6x2xf32>
func.func @columns_only(%x: tensor<1x4x8x8xf32>, %w: tensor<5x4x3x3xf32>) -> tensor<1x5x6x4xf32> {
  %y = graph.conv %x, %w {dilations = array<i64: 2, 2>, groups = 1 : i64, pads = array<i64: 1, 0, 1, 0>, strides = array<i64: 1, 1>}
    : (tensor<1x4x8x8xf32>, tensor<5x4x3x3xf32>) -> tensor<1x5x6x4xf32>
  return %y : tensor<1x5x6x4xf32>
}

// CHECK-LABEL: func.func @small_windows
// CHECK: graph.conv %arg0, %arg1 {dilations = array<i64: 3, 3>
func.func @small_windows(%x: tensor<1x1x9x9xf32>, %w: tensor<5x1x3x3xf32>) -> tensor<1x5x9x9xf32> {
  %y = graph.conv %x, %w {dilations = array<i64: 3, 3>, groups = 1 : i64, pads = array<i64: 3, 3, 3, 3>, strides = array<i64: 1, 1>}
    : (tensor<1x1x9x9xf32>, tensor<5x1x3x3xf32>) -> tensor<1x5x9x9xf32>
  return %y : tensor<1x5x9x9xf32>
}
