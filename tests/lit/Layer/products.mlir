// RUN: tilerig-opt %s > %t && FileCheck %s < %t && tilerig-opt %t | diff %t -

// A convolution without padding, whose epilogue has everything that an epilogue can hold: bias, addend and
// function.
// CHECK-LABEL: func.func @epilogue
// CHECK: layer.conv %arg0, %arg1 bias %arg2 addend %arg3 then <relu> {dilations = array<i64: 1, 1>, functionFirst, groups = 1 : i64
func.func @epilogue(%x: tensor<1x8x8x3xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4xf32>, %r: tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32> {
  %y = layer.conv %x, %w bias %b addend %r then <relu> {functionFirst, dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
    : (tensor<1x8x8x3xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>, tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32>
  return %y : tensor<1x6x6x4xf32>
}

// A depthwise convolution. A kernel of 3 with dilation 2 covers 5 of 9 rows; with padding 1 before and 2
// after there are floor((9 + 3 - 5) / 2) + 1 = 4 results.
// CHECK-LABEL: func.func @depthwise
// CHECK: layer.conv %arg0, %arg1 {dilations = array<i64: 2, 2>, groups = 8 : i64, pads = array<i64: 1, 1, 2, 2>, strides = array<i64: 2, 2>}
func.func @depthwise(%x: tensor<2x9x9x8xf16>, %w: tensor<8x3x3x1xf16>) -> tensor<2x4x4x8xf16> {
  %y = layer.conv %x, %w {dilations = array<i64: 2, 2>, groups = 8 : i64, pads = array<i64: 1, 1, 2, 2>, strides = array<i64: 2, 2>}
    : (tensor<2x9x9x8xf16>, tensor<8x3x3x1xf16>) -> tensor<2x4x4x8xf16>
  return %y : tensor<2x4x4x8xf16>
}

// A quantised convolution: i32 sums, a table on the intermediate type (`middle`), then the addend.
// CHECK-LABEL: func.func @quantised
// CHECK: layer.conv %arg0, %arg1 bias %arg2 addend %arg3 then <silu> {{.*}}functionFirst{{.*}}middle = !quant.uniform<i8:f32, 1.250000e-01>
func.func @quantised(%x: tensor<1x4x4x2x!quant.uniform<u8:f32, 0.5:128>>, %w: tensor<3x1x1x2x!quant.uniform<i8:f32:0, {0.25, 0.5, 1.0}>>,
                     %b: tensor<3xi32>, %r: tensor<1x4x4x3x!quant.uniform<u8:f32, 0.5:3>>) -> tensor<1x4x4x3x!quant.uniform<i16<-256:255>:f32, 0.5>> {
  %y = layer.conv %x, %w bias %b addend %r then <silu> {functionFirst, middle = !quant.uniform<i8:f32, 0.125>, dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
    : (tensor<1x4x4x2x!quant.uniform<u8:f32, 0.5:128>>, tensor<3x1x1x2x!quant.uniform<i8:f32:0, {0.25, 0.5, 1.0}>>, tensor<3xi32>,
       tensor<1x4x4x3x!quant.uniform<u8:f32, 0.5:3>>) -> tensor<1x4x4x3x!quant.uniform<i16<-256:255>:f32, 0.5>>
  return %y : tensor<1x4x4x3x!quant.uniform<i16<-256:255>:f32, 0.5>>
}

// Batch axes broadcast: 5x1 and 7 give 5x7.
// CHECK-LABEL: func.func @batches
// CHECK: layer.matmul %arg0, %arg1 : (tensor<5x1x2x3xf32>, tensor<7x4x3xf32>) -> tensor<5x7x2x4xf32>
// CHECK: layer.matmul %arg0, %arg2 {transposedB} : (tensor<5x1x2x3xf32>, tensor<3x4xf32>) -> tensor<5x1x2x4xf32>
func.func @batches(%a: tensor<5x1x2x3xf32>, %b: tensor<7x4x3xf32>, %c: tensor<3x4xf32>) -> (tensor<5x7x2x4xf32>, tensor<5x1x2x4xf32>) {
  %y = layer.matmul %a, %b : (tensor<5x1x2x3xf32>, tensor<7x4x3xf32>) -> tensor<5x7x2x4xf32>
  %z = layer.matmul %a, %c {transposedB} : (tensor<5x1x2x3xf32>, tensor<3x4xf32>) -> tensor<5x1x2x4xf32>
  return %y, %z : tensor<5x7x2x4xf32>, tensor<5x1x2x4xf32>
}

// An fp16 product may have an fp32 bias.
// CHECK-LABEL: func.func @dense
// CHECK: layer.matmul %arg0, %arg1 bias %arg2 then <clip -1.000000e+00, 6.000000e+00>
func.func @dense(%a: tensor<2x3xf16>, %b: tensor<4x3xf16>, %c: tensor<4xf32>) -> tensor<2x4xf16> {
  %y = layer.matmul %a, %b bias %c then <clip -1.0, 6.0> : (tensor<2x3xf16>, tensor<4x3xf16>, tensor<4xf32>) -> tensor<2x4xf16>
  return %y : tensor<2x4xf16>
}
