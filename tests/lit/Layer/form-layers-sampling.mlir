// Operators that sample images: products on the accelerator where they are fast, else kernels of the host.
// RUN: tilerig-opt %s -form-layers=only=host -split-input-file | FileCheck %s

// The weights of two rows and three columns for four samples.
// CHECK-LABEL: func.func @small
// CHECK: %[[Y:.*]] = layer.slice %{{.*}} {starts = array<i64: 0, 0, 1>, steps = array<i64: 1, 1, 1>} : (tensor<1x4x2xf32>) -> tensor<1x4x1xf32>
// CHECK: layer.constant dense<[0.000000e+00, 1.000000e+00]>
// CHECK: %[[R:.*]] = layer.activate by <relu> %{{.*}} : (tensor<1x4x2xf32>) -> tensor<1x4x2xf32>
// CHECK: layer.constant dense<[0.000000e+00, 1.000000e+00, 2.000000e+00]>
// CHECK: %[[C:.*]] = layer.activate by <relu> %{{.*}} : (tensor<1x4x3xf32>) -> tensor<1x4x3xf32>
// CHECK: layer.matmul %[[R]], %{{.*}} : (tensor<1x4x2xf32>, tensor<1x2x15xf32>) -> tensor<1x4x15xf32>
// CHECK: layer.binary mul %{{.*}} : (tensor<1x4x5x3xf32>, tensor<1x4x1x3xf32>) -> tensor<1x4x5x3xf32>
// CHECK: layer.reduce sum
// CHECK-NOT: layer.host
func.func @small(%x: tensor<1x5x2x3xf32>, %g: tensor<1x2x2x2xf32>) -> tensor<1x5x2x2xf32> {
  %y = graph.opaque "" 20 "GridSample" (%x, %g) {align_corners = 1 : i64} present [true, true] : (tensor<1x5x2x3xf32>, tensor<1x2x2x2xf32>) -> tensor<1x5x2x2xf32>
  return %y : tensor<1x5x2x2xf32>
}

// -----

// CHECK-LABEL: func.func @border
// CHECK: layer.activate by <clip 0.000000e+00, 1.000000e+00>
// CHECK: layer.activate by <clip 0.000000e+00, 2.000000e+00>
func.func @border(%x: tensor<1x1x2x3xf32>, %g: tensor<1x2x2x2xf32>) -> tensor<1x1x2x2xf32> {
  %y = graph.opaque "" 20 "GridSample" (%x, %g) {padding_mode = "border"} present [true, true] : (tensor<1x1x2x3xf32>, tensor<1x2x2x2xf32>) -> tensor<1x1x2x2xf32>
  return %y : tensor<1x1x2x2xf32>
}

// -----

// A large image, whose elements do not all have to be read, and other modes.
// CHECK-LABEL: func.func @host
// CHECK: layer.host "GridSample"(%arg0, %arg1) {}
// CHECK: layer.host "GridSample"(%arg2, %arg1) {mode = "cubic"}
// CHECK: layer.host "GridSample"(%arg2, %arg1) {padding_mode = "reflection"}
func.func @host(%x: tensor<1x1x200x300xf32>, %g: tensor<1x2x2x2xf32>, %s: tensor<1x1x2x3xf32>) -> (tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>) {
  %a = graph.opaque "" 20 "GridSample" (%x, %g) {} present [true, true] : (tensor<1x1x200x300xf32>, tensor<1x2x2x2xf32>) -> tensor<1x1x2x2xf32>
  %b = graph.opaque "" 20 "GridSample" (%s, %g) {mode = "cubic"} present [true, true] : (tensor<1x1x2x3xf32>, tensor<1x2x2x2xf32>) -> tensor<1x1x2x2xf32>
  %c = graph.opaque "" 20 "GridSample" (%s, %g) {padding_mode = "reflection"} present [true, true] : (tensor<1x1x2x3xf32>, tensor<1x2x2x2xf32>) -> tensor<1x1x2x2xf32>
  return %a, %b, %c : tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>, tensor<1x1x2x2xf32>
}

// -----

// Halves are widened for the host, and its result is rounded.
// CHECK-LABEL: func.func @halves
// CHECK: %[[X:.*]] = layer.activate %arg0 : (tensor<1x2x8x8xf16>) -> tensor<1x2x8x8xf32>
// CHECK: %[[B:.*]] = layer.activate %arg1 : (tensor<3x4xf16>) -> tensor<3x4xf32>
// CHECK: %[[Y:.*]] = layer.host "RoiAlign"(%[[X]], %[[B]], %arg2) {output_height = 2 : i64} {{.*}} -> tensor<3x2x2x1xf32>
// CHECK: layer.activate %[[Y]] : (tensor<3x2x2x1xf32>) -> tensor<3x2x2x1xf16>
func.func @halves(%x: tensor<1x2x8x8xf16>, %b: tensor<3x4xf16>, %i: tensor<3xi64>) -> tensor<3x2x2x1xf16> {
  %y = graph.opaque "" 16 "RoiAlign" (%x, %b, %i) {output_height = 2 : i64} present [true, true, true] : (tensor<1x2x8x8xf16>, tensor<3x4xf16>, tensor<3xi64>) -> tensor<3x2x2x1xf16>
  return %y : tensor<3x2x2x1xf16>
}
