// RUN: tilerig-opt %s -form-layers | FileCheck %s

// Gather and scatter of single elements run on the host, under the names of the ONNX operators.
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

// Host kernels that compute take fp32 only; kernels that move elements take every type.
// CHECK-LABEL: func.func @halves
// CHECK: %[[WIDE:.*]] = layer.activate %arg0 : (tensor<4x8xf16>) -> tensor<4x8xf32>
// CHECK: %[[BEST:.*]]:2 = layer.host "TopK"(%[[WIDE]])
// CHECK-SAME: (tensor<4x8xf32>) -> (tensor<4x3xf32>, tensor<4x3xi64>)
// CHECK: %[[HALF:.*]] = layer.activate %[[BEST]]#0 : (tensor<4x3xf32>) -> tensor<4x3xf16>
// CHECK: %[[MOVED:.*]] = layer.host "GatherElements"(%arg0, %arg1)
// CHECK-SAME: -> tensor<2x8xf16>
// CHECK: return %[[HALF]], %[[BEST]]#1, %[[MOVED]]
func.func @halves(%x: tensor<4x8xf16>, %i: tensor<2x8xi64>) -> (tensor<4x3xf16>, tensor<4x3xi64>, tensor<2x8xf16>) {
  %v, %p = graph.top_k %x {k = 3 : i64, axis = 1 : i64, largest, sorted} : (tensor<4x8xf16>) -> (tensor<4x3xf16>, tensor<4x3xi64>)
  %m = graph.gather_elements %x, %i {axis = 0 : i64} : (tensor<4x8xf16>, tensor<2x8xi64>) -> tensor<2x8xf16>
  return %v, %p, %m : tensor<4x3xf16>, tensor<4x3xi64>, tensor<2x8xf16>
}

// IsNaN and IsInf become comparisons on the accelerator.
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

// A result whose length depends on values gets its largest possible size: three classes with at most four
// boxes each.
// CHECK-LABEL: func.func @reserved
// CHECK-SAME: -> (tensor<12x3xi64>, tensor<3x24xi64>)
// CHECK: layer.host "NonMaxSuppression"(%arg0, %arg1) {center_point_box = 1 : i64, iou_threshold = 5.000000e-01 : f32, max_output_boxes_per_class = 4 : i64} present [true, true]
// CHECK-SAME: -> tensor<12x3xi64>
// CHECK: layer.host "NonZero"(%arg1) {} present [true] : (tensor<1x3x8xf32>) -> tensor<3x24xi64>
func.func @reserved(%b: tensor<1x8x4xf32>, %s: tensor<1x3x8xf32>) -> (tensor<?x3xi64>, tensor<3x?xi64>) {
  %most = graph.constant dense<4> : tensor<1xi64>
  %overlap = graph.constant dense<0.5> : tensor<f32>
  %n = graph.opaque "" 21 "NonMaxSuppression"(%b, %s, %most, %overlap) {center_point_box = 1 : i64} present [true, true, true, true]
    : (tensor<1x8x4xf32>, tensor<1x3x8xf32>, tensor<1xi64>, tensor<f32>) -> tensor<?x3xi64>
  %z = graph.opaque "" 21 "NonZero"(%s) {} present [true] : (tensor<1x3x8xf32>) -> tensor<3x?xi64>
  return %n, %z : tensor<?x3xi64>, tensor<3x?xi64>
}
