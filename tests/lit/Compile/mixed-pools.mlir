// RUN: tilerig-compile %s --from layer --emit onnx -o %t.onnx

// An average pool from integers to floats has no scale to round to, so the emitted model dequantises first.
// An average pool from integers to integers sums integers.
// RUN: FileCheck %s < %t.onnx
// CHECK-DAG: AveragePool
// CHECK-DAG: ConvInteger
module @network {
  func.func @main(%x: tensor<1x4x4x2xf32> {graph.name = "x"}) -> (tensor<1x2x2x2xf32> {graph.name = "y"}, tensor<1x2x2x2xf32> {graph.name = "z"}) {
    %q = layer.activate %x : (tensor<1x4x4x2xf32>) -> tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5:3>>
    %y = layer.pool average %q {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x2x2x2xf32>
    %p = layer.pool average %q {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x4x4x2x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<1x2x2x2x!quant.uniform<i8:f32, 0.25:1>>
    %z = layer.activate %p : (tensor<1x2x2x2x!quant.uniform<i8:f32, 0.25:1>>) -> tensor<1x2x2x2xf32>
    return %y, %z : tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>
  }
}
