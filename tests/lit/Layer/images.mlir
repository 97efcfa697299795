// RUN: tilerig-opt %s > %t && FileCheck %s --strict-whitespace < %t && tilerig-opt %t | diff %t -

// Windows of 3 with stride 2 on 6 columns: 2 whole windows, or 3 with the partial one.
// CHECK-LABEL: func.func @pools
// CHECK: layer.pool max %arg0 {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : (tensor<1x6x6x2xf32>) -> tensor<1x2x2x2xf32>
// CHECK: layer.pool average %arg0 {{.*}} -> tensor<1x3x3x2xf32>
// CHECK: layer.pool average_with_padding %arg0 then <relu> {{.*}} -> tensor<1x2x3x2xf32>
// CHECK: layer.pool sum %arg0 {{.*}} -> tensor<1x6x6x2xf32>
func.func @pools(%x: tensor<1x6x6x2xf32>) -> (tensor<1x2x2x2xf32>, tensor<1x3x3x2xf32>, tensor<1x2x3x2xf32>, tensor<1x6x6x2xf32>) {
  %a = layer.pool max %x {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x6x6x2xf32>) -> tensor<1x2x2x2xf32>
  %b = layer.pool average %x {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x6x6x2xf32>) -> tensor<1x3x3x2xf32>
  %c = layer.pool average_with_padding %x then <relu> {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x6x6x2xf32>) -> tensor<1x2x3x2xf32>
  %d = layer.pool sum %x {kernel = array<i64: 1, 3>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 1, 0, 1>} : (tensor<1x6x6x2xf32>) -> tensor<1x6x6x2xf32>
  return %a, %b, %c, %d : tensor<1x2x2x2xf32>, tensor<1x3x3x2xf32>, tensor<1x2x3x2xf32>, tensor<1x6x6x2xf32>
}

// CHECK-LABEL: func.func @resizes
// CHECK: layer.resize cubic %arg0 then <sigmoid> {columns = array<i64: 1, 2, -1>, cubicCoefficient = -7.500000e-01 : f32, rows = array<i64: 3, 1, 0>}
// CHECK: layer.dilate %arg0 {steps = array<i64: 2, 3>} : (tensor<1x6x6x2xf32>) -> tensor<1x11x16x2xf32>
func.func @resizes(%x: tensor<1x6x6x2xf32>) -> (tensor<1x2x12x2xf32>, tensor<1x11x16x2xf32>) {
  %a = layer.resize cubic %x then <sigmoid> {rows = array<i64: 3, 1, 0>, columns = array<i64: 1, 2, -1>, cubicCoefficient = -0.75 : f32} : (tensor<1x6x6x2xf32>) -> tensor<1x2x12x2xf32>
  %b = layer.dilate %x {steps = array<i64: 2, 3>} : (tensor<1x6x6x2xf32>) -> tensor<1x11x16x2xf32>
  return %a, %b : tensor<1x2x12x2xf32>, tensor<1x11x16x2xf32>
}
