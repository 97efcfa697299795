// RUN: tilerig-opt %s -form-layers | FileCheck %s

// What picks and puts elements one by one is the host's, with the names of ONNX.
// CHECK-LABEL: func.func @places
// CHECK: layer.host "GatherElements"(%arg0, %arg1) {axis = 1 : i64} present [true, true]
// CHECK: layer.host "GatherND"(%arg0, %arg1) {batch_dims = 1 : i64} present [true, true]
// CHECK: layer.host "ScatterElements"(%arg0, %arg1, %arg2) {axis = 0 : i64, reduction = "add"} present [true, true, true]
// CHECK: layer.host "ScatterND"(%arg3, %arg1, %arg4) {reduction = "none"} present [true, true, true]
// CHECK: layer.host "ReverseSequence"(%arg0, %arg5) {batch_axis = 0 : i64, time_axis = 1 : i64} present [true, true]
func.func @places(%x: tensor<2x3xf32>, %i: tensor<2x1xi64>, %u: tensor<2x1xf32>, %z: tensor<3x4xf32>, %v: tensor<2x4xf32>, %n: tensor<2xi64>)
    -> (tensor<2x1xf32>, tensor<2xf32>, tensor<2x3xf32>, tensor<3x4xf32>, tensor<2x3xf32>) {
  %a = graph.gather_elements %x, %i {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x1xi64>) -> tensor<2x1xf32>
  %b = graph.gather_nd %x, %i {batchDims = 1 : i64} : (tensor<2x3xf32>, tensor<2x1xi64>) -> tensor<2xf32>
  %c = graph.scatter_elements %x, %i, %u {axis = 0 : i64, reduction = 1 : i32} : (tensor<2x3xf32>, tensor<2x1xi64>, tensor<2x1xf32>) -> tensor<2x3xf32>
  %d = graph.scatter_nd %z, %i, %v {reduction = 0 : i32} : (tensor<3x4xf32>, tensor<2x1xi64>, tensor<2x4xf32>) -> tensor<3x4xf32>
  %e = graph.reverse_sequence %x, %n {timeAxis = 1 : i64, batchAxis = 0 : i64} : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return %a, %b, %c, %d, %e : tensor<2x1xf32>, tensor<2xf32>, tensor<2x3xf32>, tensor<3x4xf32>, tensor<2x3xf32>
}

// Tests of values are comparisons of the accelerator.
// CHECK-LABEL: func.func @values
// CHECK: %[[E:.*]] = layer.binary equal %arg0, %arg0
// CHECK: layer.activate by <not> %[[E]]
// CHECK: %[[H:.*]] = layer.constant dense<0x7F800000> : tensor<f32>
// CHECK: %[[UP:.*]] = layer.binary equal %arg0, %[[H]]
// CHECK: %[[L:.*]] = layer.constant dense<0xFF800000> : tensor<f32>
// CHECK: %[[DOWN:.*]] = layer.binary equal %arg0, %[[L]]
// CHECK: layer.binary or %[[DOWN]], %[[UP]]
func.func @values(%x: tensor<2x3xf32>) -> (tensor<2x3xi1>, tensor<2x3xi1>) {
  %a = graph.is_nan %x : (tensor<2x3xf32>) -> tensor<2x3xi1>
  %b = graph.is_inf %x {negative, positive} : (tensor<2x3xf32>) -> tensor<2x3xi1>
  return %a, %b : tensor<2x3xi1>, tensor<2x3xi1>
}
