// RUN: tilerig-compile %s --from layer --emit onnx --onnx-form qdq -o %t.onnx
// RUN: tilerig-compile %t.onnx --emit graph -o %t.graph && FileCheck %s < %t.graph
// RUN: tilerig-compile %t.onnx --emit layer -o %t.layer && FileCheck %s --check-prefix=LAYER < %t.layer

// Weights are a constant with outputs first, then channels. Units of the bias are 1/2 * 1/4 and 1/2 * 1/8.
// CHECK: %[[X:.*]] = graph.quantize_linear %arg0
// CHECK: %[[DX:.*]] = graph.dequantize_linear %[[X]]
// CHECK: %[[TX:.*]] = graph.transpose %[[DX]]
// CHECK: %[[W:.*]] = graph.constant dense<{{\[\[}}{{\[\[}}1{{\]\]}}, {{\[\[}}2{{\]\]\]}}, {{\[\[\[}}3{{\]\]}}, {{\[\[}}4{{\]\]\]\]}}> : tensor<2x2x1x1xi8>
// CHECK: %[[DW:.*]] = graph.dequantize_linear %[[W]], {{.*}} {axis = 0 : i64}
// CHECK: %[[B:.*]] = graph.constant dense<[10, -20]> : tensor<2xi32>
// CHECK: %[[U:.*]] = graph.constant dense<[1.250000e-01, 6.250000e-02]> : tensor<2xf32>
// CHECK: %[[DB:.*]] = graph.dequantize_linear %[[B]], %[[U]]
// CHECK: %[[C:.*]] = graph.conv %[[TX]], %[[DW]], %[[DB]]
// The sum is rounded before a function that is not a mere bound, such as sigmoid.
// CHECK: %[[Q:.*]] = graph.quantize_linear %[[C]]
// CHECK: %[[DQ:.*]] = graph.dequantize_linear %[[Q]]
// CHECK: %[[S:.*]] = graph.sigmoid %[[DQ]]
// CHECK: %[[QS:.*]] = graph.quantize_linear %[[S]]
// Operators that move or select elements have a quantise/dequantise pair on both sides.
// CHECK: %[[DS:.*]] = graph.dequantize_linear %[[QS]]
// CHECK: %[[M:.*]] = graph.max_pool %[[DS]]
// CHECK: %[[QM:.*]] = graph.quantize_linear %[[M]]
// A bound, such as relu, is applied before the sum is rounded.
// CHECK: %[[P:.*]] = graph.matmul
// CHECK: %[[R:.*]] = graph.relu %[[P]]
// CHECK: graph.quantize_linear %[[R]]

// Importing the emitted model gives the same scales and zero points.
// LAYER: layer.conv {{.*}} -> tensor<1x2x2x2x!quant.uniform<u8:f32, 1.250000e-01:100>>
// LAYER: layer.activate by <sigmoid>
// LAYER: layer.activate {{.*}} -> tensor<1x2x2x2x!quant.uniform<u8:f32, 3.906250e-03>>
// LAYER: layer.reduce max {{.*}} -> tensor<1x1x1x2x!quant.uniform<u8:f32, 3.906250e-03>>
// LAYER: layer.matmul {{.*}} then <relu> {{.*}} -> tensor<1x3x!quant.uniform<i8:f32, 6.250000e-02:-128>>

!in = !quant.uniform<i8:f32, 0.5:3>
!weights = !quant.uniform<i8<-127:127>:f32:0, {0.25, 0.125}>
!sum = !quant.uniform<u8:f32, 0.125:100>
!share = !quant.uniform<u8:f32, 0.00390625>
!dense = !quant.uniform<i8<-127:127>:f32, 0.25>
!out = !quant.uniform<i8:f32, 0.0625:-128>
module @network {
  func.func @main(%x: tensor<1x2x2x2xf32> {graph.name = "x"}) -> (tensor<1x3xf32> {graph.name = "y"}) {
    %q = layer.activate %x : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2x!in>
    %w = layer.constant dense<[[[[1, 2]]], [[[3, 4]]]]> : tensor<2x1x1x2xi8> as tensor<2x1x1x2x!weights>
    %b = layer.constant dense<[10, -20]> : tensor<2xi32> as tensor<2xi32>
    %c = layer.conv %q, %w bias %b then <sigmoid> {middle = !sum, groups = 1, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>}
      : (tensor<1x2x2x2x!in>, tensor<2x1x1x2x!weights>, tensor<2xi32>) -> tensor<1x2x2x2x!share>
    %p = layer.pool max %c {kernel = array<i64: 2, 2>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x2x2x2x!share>) -> tensor<1x1x1x2x!share>
    %f = layer.reshape %p : (tensor<1x1x1x2x!share>) -> tensor<1x2x!share>
    %d = layer.constant dense<1> : tensor<3x2xi8> as tensor<3x2x!dense>
    %r = layer.matmul %f, %d then <relu> : (tensor<1x2x!share>, tensor<3x2x!dense>) -> tensor<1x3x!out>
    %y = layer.activate %r : (tensor<1x3x!out>) -> tensor<1x3xf32>
    return %y : tensor<1x3xf32>
  }
}
