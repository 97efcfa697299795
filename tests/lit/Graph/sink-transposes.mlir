// RUN: tilerig-opt %s -sink-transposes -canonicalize | FileCheck %s
// RUN: tilerig-opt %s -sink-transposes -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s --check-prefix=ORIGIN

// A transpose sinks through elementwise operations and cancels with its inverse.
// CHECK-LABEL: func.func @cancel
// CHECK-NEXT: %[[R:.*]] = graph.relu %arg0 : tensor<1x4x5x3xf32>
// CHECK-NEXT: %[[S:.*]] = graph.silu %[[R]] : tensor<1x4x5x3xf32>
// CHECK-NEXT: return %[[S]]
// The location records that the value is the model's tensor with its axes in another order.
// ORIGIN-LABEL: func.func @cancel
// ORIGIN: graph.relu {{.*}} loc("relu"(fused<#graph.order<[0, 3, 1, 2]>>["r"]))
func.func @cancel(%x: tensor<1x4x5x3xf32>) -> tensor<1x4x5x3xf32> {
  %t = graph.transpose %x {perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x5x3xf32>) -> tensor<1x3x4x5xf32>
  %r = graph.relu %t : tensor<1x3x4x5xf32> loc("relu"("r"))
  %s = graph.silu %r : tensor<1x3x4x5xf32>
  %y = graph.transpose %s {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x3x4x5xf32>) -> tensor<1x4x5x3xf32>
  return %y : tensor<1x4x5x3xf32>
}

// Constant operands are transposed at compile time; constants of lower rank are first extended by leading
// ones.
// CHECK-LABEL: func.func @constants
// CHECK-DAG: %[[C:.*]] = graph.constant dense<{{\[\[\[\[}}1.000000e+00, 2.000000e+00]]]]> : tensor<1x1x1x2xf32>
// CHECK-DAG: %[[D:.*]] = graph.constant dense<{{\[\[\[\[}}1.000000e+00, 3.000000e+00], [2.000000e+00, 4.000000e+00]]]]> : tensor<1x1x2x2xf32>
// CHECK-DAG: %[[H:.*]] = graph.constant dense<5.000000e-01> : tensor<f32>
// CHECK: %[[A:.*]] = graph.mul %arg0, %[[C]] : (tensor<1x1x2x2xf32>, tensor<1x1x1x2xf32>)
// CHECK-NEXT: %[[B:.*]] = graph.add %[[A]], %[[D]]
// CHECK-NEXT: %[[E:.*]] = graph.mul %[[B]], %[[H]]
// CHECK-NEXT: return %[[E]]
func.func @constants(%x: tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32> {
  %c = graph.constant dense<[[[1.0]], [[2.0]]]> : tensor<2x1x1xf32>
  %d = graph.constant dense<[[[[1.0, 2.0]], [[3.0, 4.0]]]]> : tensor<1x2x1x2xf32>
  %h = graph.constant dense<0.5> : tensor<f32>
  %t = graph.transpose %x {perm = array<i64: 0, 3, 1, 2>} : (tensor<1x1x2x2xf32>) -> tensor<1x2x1x2xf32>
  %a = graph.mul %t, %c : (tensor<1x2x1x2xf32>, tensor<2x1x1xf32>) -> tensor<1x2x1x2xf32>
  %b = graph.add %d, %a : (tensor<1x2x1x2xf32>, tensor<1x2x1x2xf32>) -> tensor<1x2x1x2xf32>
  %e = graph.mul %b, %h : (tensor<1x2x1x2xf32>, tensor<f32>) -> tensor<1x2x1x2xf32>
  %y = graph.transpose %e {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x2x1x2xf32>) -> tensor<1x1x2x2xf32>
  return %y : tensor<1x1x2x2xf32>
}

// Tests of numbers and operations on bits are elementwise, too; their results may have another element type.
// CHECK-LABEL: func.func @tests
// CHECK-NEXT: %[[N:.*]] = graph.is_nan %arg0 : (tensor<1x4x5x3xf32>) -> tensor<1x4x5x3xi1>
// CHECK-NEXT: %[[I:.*]] = graph.is_inf %arg0 {negative} : (tensor<1x4x5x3xf32>) -> tensor<1x4x5x3xi1>
// CHECK-NEXT: %[[Y:.*]] = graph.or %[[N]], %[[I]]
// CHECK-NEXT: return %[[Y]]
func.func @tests(%x: tensor<1x4x5x3xf32>) -> tensor<1x4x5x3xi1> {
  %t = graph.transpose %x {perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x5x3xf32>) -> tensor<1x3x4x5xf32>
  %n = graph.is_nan %t : (tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xi1>
  %i = graph.is_inf %t {negative} : (tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xi1>
  %o = graph.or %n, %i : (tensor<1x3x4x5xi1>, tensor<1x3x4x5xi1>) -> tensor<1x3x4x5xi1>
  %y = graph.transpose %o {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x3x4x5xi1>) -> tensor<1x4x5x3xi1>
  return %y : tensor<1x4x5x3xi1>
}

// CHECK-LABEL: func.func @bits
// CHECK-DAG: %[[C:.*]] = graph.constant dense<{{\[\[\[\[}}1, 2, 3]]]]> : tensor<1x1x1x3xui8>
// CHECK-DAG: %[[ONE:.*]] = graph.constant dense<1> : tensor<ui8>
// CHECK: %[[N:.*]] = graph.bitwise_not %arg0 : tensor<1x4x5x3xui8>
// CHECK-NEXT: %[[A:.*]] = graph.bitwise_and %[[N]], %[[C]] : (tensor<1x4x5x3xui8>, tensor<1x1x1x3xui8>)
// CHECK-NEXT: %[[O:.*]] = graph.bitwise_or %[[A]], %arg0
// CHECK-NEXT: %[[X:.*]] = graph.bitwise_xor %[[O]], %[[N]]
// CHECK-NEXT: %[[S:.*]] = graph.bit_shift %[[X]], %[[ONE]] {left}
// CHECK-NEXT: return %[[S]]
func.func @bits(%x: tensor<1x4x5x3xui8>) -> tensor<1x4x5x3xui8> {
  %c = graph.constant dense<[[[1]], [[2]], [[3]]]> : tensor<3x1x1xui8>
  %one = graph.constant dense<1> : tensor<ui8>
  %t = graph.transpose %x {perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x5x3xui8>) -> tensor<1x3x4x5xui8>
  %n = graph.bitwise_not %t : tensor<1x3x4x5xui8>
  %a = graph.bitwise_and %n, %c : (tensor<1x3x4x5xui8>, tensor<3x1x1xui8>) -> tensor<1x3x4x5xui8>
  %o = graph.bitwise_or %a, %t : (tensor<1x3x4x5xui8>, tensor<1x3x4x5xui8>) -> tensor<1x3x4x5xui8>
  %e = graph.bitwise_xor %o, %n : (tensor<1x3x4x5xui8>, tensor<1x3x4x5xui8>) -> tensor<1x3x4x5xui8>
  %s = graph.bit_shift %e, %one {left} : (tensor<1x3x4x5xui8>, tensor<ui8>) -> tensor<1x3x4x5xui8>
  %y = graph.transpose %s {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x3x4x5xui8>) -> tensor<1x4x5x3xui8>
  return %y : tensor<1x4x5x3xui8>
}

// Attributes that name axes are permuted.
// CHECK-LABEL: func.func @axes
// CHECK-NEXT: %[[S:.*]] = graph.slice %arg0 {ends = array<i64: 1, 3, 5, 2>, starts = array<i64: 0, 1, 0, 0>, steps = array<i64: 1, 1, 2, 1>} : {{.*}} -> tensor<1x2x3x2xf32>
// CHECK-NEXT: %[[P:.*]] = graph.pad %[[S]] {mode = 0 : i32, pads = array<i64: 0, 1, 0, 0, 0, 0, 2, 1>} : {{.*}} -> tensor<1x3x5x3xf32>
// CHECK-NEXT: %[[C:.*]] = graph.concat %[[P]], %[[P]] {axis = 3 : i64} : {{.*}} -> tensor<1x3x5x6xf32>
// CHECK-NEXT: %[[M:.*]] = graph.softmax %[[C]] {axis = 3 : i64}
// CHECK-NEXT: %[[R:.*]] = graph.reduce_mean %[[M]] {axes = array<i64: 1, 3>, keepdims} : {{.*}} -> tensor<1x1x5x1xf32>
// CHECK-NEXT: return %[[R]]
func.func @axes(%x: tensor<1x4x5x3xf32>) -> tensor<1x1x5x1xf32> {
  %t = graph.transpose %x {perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x5x3xf32>) -> tensor<1x3x4x5xf32>
  %s = graph.slice %t {starts = array<i64: 0, 0, 1, 0>, ends = array<i64: 1, 2, 3, 5>, steps = array<i64: 1, 1, 1, 2>}
    : (tensor<1x3x4x5xf32>) -> tensor<1x2x2x3xf32>
  %p = graph.pad %s {mode = 0 : i32, pads = array<i64: 0, 0, 1, 0, 0, 1, 0, 2>} : (tensor<1x2x2x3xf32>) -> tensor<1x3x3x5xf32>
  %c = graph.concat %p, %p {axis = 1 : i64} : (tensor<1x3x3x5xf32>, tensor<1x3x3x5xf32>) -> tensor<1x6x3x5xf32>
  %m = graph.softmax %c {axis = 1 : i64} : (tensor<1x6x3x5xf32>) -> tensor<1x6x3x5xf32>
  %r = graph.reduce_mean %m {axes = array<i64: 1, 2>, keepdims} : (tensor<1x6x3x5xf32>) -> tensor<1x1x1x5xf32>
  %y = graph.transpose %r {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x1x1x5xf32>) -> tensor<1x1x5x1xf32>
  return %y : tensor<1x1x5x1xf32>
}

// A reduction of the spatial axes and a flattened image of one pixel absorb the transpose.
// CHECK-LABEL: func.func @absorbed
// CHECK-NEXT: %[[A:.*]] = graph.reduce_max %arg0 {axes = array<i64: 1, 2>} : (tensor<2x4x5x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT: %[[C:.*]] = graph.reshape %arg1 : (tensor<2x1x1x7xf32>) -> tensor<2x7x1x1xf32>
// CHECK-NEXT: %[[B:.*]] = graph.reshape %arg1 : (tensor<2x1x1x7xf32>) -> tensor<2x7xf32>
// CHECK-NEXT: return %[[A]], %[[B]], %[[C]]
func.func @absorbed(%x: tensor<2x4x5x3xf32>, %z: tensor<2x1x1x7xf32>) -> (tensor<2x3xf32>, tensor<2x7xf32>, tensor<2x7x1x1xf32>) {
  %t = graph.transpose %x {perm = array<i64: 0, 3, 1, 2>} : (tensor<2x4x5x3xf32>) -> tensor<2x3x4x5xf32>
  %a = graph.reduce_max %t {axes = array<i64: 2, 3>} : (tensor<2x3x4x5xf32>) -> tensor<2x3xf32>
  %u = graph.transpose %z {perm = array<i64: 0, 3, 1, 2>} : (tensor<2x1x1x7xf32>) -> tensor<2x7x1x1xf32>
  %b = graph.reshape %u : (tensor<2x7x1x1xf32>) -> tensor<2x7xf32>
  return %a, %b, %u : tensor<2x3xf32>, tensor<2x7xf32>, tensor<2x7x1x1xf32>
}

// An image becomes a sequence, as before a transformer: the transposes before and after the reshape cancel.
// CHECK-LABEL: func.func @sequence
// CHECK-NEXT: %[[Y:.*]] = graph.reshape %arg0 : (tensor<2x4x5x3xf32>) -> tensor<2x20x3xf32>
// CHECK-NEXT: return %[[Y]]
func.func @sequence(%x: tensor<2x4x5x3xf32>) -> tensor<2x20x3xf32> {
  %t = graph.transpose %x {perm = array<i64: 0, 3, 1, 2>} : (tensor<2x4x5x3xf32>) -> tensor<2x3x4x5xf32>
  %r = graph.reshape %t : (tensor<2x3x4x5xf32>) -> tensor<2x3x20xf32>
  %y = graph.transpose %r {perm = array<i64: 0, 2, 1>} : (tensor<2x3x20xf32>) -> tensor<2x20x3xf32>
  return %y : tensor<2x20x3xf32>
}

// A channel shuffle of two groups between images with channels last: only the transpose of the shuffle itself
// is left.
// CHECK-LABEL: func.func @shuffle
// CHECK-COUNT-1: graph.transpose %{{.*}} {perm = array<i64: 0, 1, 2, 4, 3>} : (tensor<2x4x5x2x3xf32>)
// CHECK-NOT: graph.transpose
func.func @shuffle(%x: tensor<2x4x5x6xf32>) -> tensor<2x4x5x6xf32> {
  %t = graph.transpose %x {perm = array<i64: 0, 3, 1, 2>} : (tensor<2x4x5x6xf32>) -> tensor<2x6x4x5xf32>
  %a = graph.reshape %t : (tensor<2x6x4x5xf32>) -> tensor<2x2x3x4x5xf32>
  %b = graph.transpose %a {perm = array<i64: 0, 2, 1, 3, 4>} : (tensor<2x2x3x4x5xf32>) -> tensor<2x3x2x4x5xf32>
  %c = graph.reshape %b : (tensor<2x3x2x4x5xf32>) -> tensor<2x6x4x5xf32>
  %y = graph.transpose %c {perm = array<i64: 0, 2, 3, 1>} : (tensor<2x6x4x5xf32>) -> tensor<2x4x5x6xf32>
  return %y : tensor<2x4x5x6xf32>
}

// Not sunk: in a sum of a transposed tensor and another one, the other one would need a transpose.
// CHECK-LABEL: func.func @stays
// CHECK-NEXT: %[[T:.*]] = graph.transpose %arg0
// CHECK-NEXT: %[[Y:.*]] = graph.add %[[T]], %arg1
// CHECK-NEXT: return %[[Y]]
func.func @stays(%x: tensor<1x4x5x3xf32>, %z: tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xf32> {
  %t = graph.transpose %x {perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x5x3xf32>) -> tensor<1x3x4x5xf32>
  %y = graph.add %t, %z : (tensor<1x3x4x5xf32>, tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xf32>
  return %y : tensor<1x3x4x5xf32>
}

// Not sunk: after the tile operation more elements would have to be transposed.
// CHECK-LABEL: func.func @grows
// CHECK-NEXT: graph.transpose
// CHECK-NEXT: graph.tile
func.func @grows(%x: tensor<1x4x5x3xf32>) -> tensor<1x6x4x5xf32> {
  %t = graph.transpose %x {perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x5x3xf32>) -> tensor<1x3x4x5xf32>
  %y = graph.tile %t {repeats = array<i64: 1, 2, 1, 1>} : (tensor<1x3x4x5xf32>) -> tensor<1x6x4x5xf32>
  return %y : tensor<1x6x4x5xf32>
}

// The transpose of a tensor with two readers sinks if it can sink through both.
// CHECK-LABEL: func.func @both
// CHECK-NEXT: %[[S:.*]] = graph.sigmoid %arg0
// CHECK-NEXT: %[[M:.*]] = graph.mul %[[S]], %arg0
// CHECK-NEXT: %[[Y:.*]] = graph.transpose %[[M]]
// CHECK-NEXT: return %[[Y]]
func.func @both(%x: tensor<1x4x5x3xf32>) -> tensor<1x3x4x5xf32> {
  %t = graph.transpose %x {perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x5x3xf32>) -> tensor<1x3x4x5xf32>
  %s = graph.sigmoid %t : tensor<1x3x4x5xf32>
  %y = graph.mul %s, %t : (tensor<1x3x4x5xf32>, tensor<1x3x4x5xf32>) -> tensor<1x3x4x5xf32>
  return %y : tensor<1x3x4x5xf32>
}

// Instead of the image, rows of constant weights are permuted: the row for [column, channel] was row
// 2 * channel + column.
// CHECK-LABEL: func.func @weights
// CHECK-DAG: %[[W:.*]] = graph.constant dense<{{\[\[}}0.000000e+00], [2.000000e+00], [4.000000e+00], [1.000000e+00], [3.000000e+00], [5.000000e+00]]> : tensor<6x1xf32>
// CHECK-DAG: %[[V:.*]] = graph.constant dense<{{\[\[}}0.000000e+00, 2.000000e+00, 4.000000e+00, 1.000000e+00, 3.000000e+00, 5.000000e+00], [0.000000e+00, 3.000000e+00, 5.000000e+00, 2.000000e+00, 4.000000e+00, 1.000000e+00]]> : tensor<2x6xf32>
// CHECK: %[[R:.*]] = graph.reshape %arg0 : (tensor<2x1x2x3xf32>) -> tensor<2x6xf32>
// CHECK: graph.matmul %[[R]], %[[W]]
// CHECK: %[[S:.*]] = graph.reshape %arg0 : (tensor<2x1x2x3xf32>) -> tensor<2x6xf32>
// CHECK: graph.gemm %[[S]], %[[V]]
func.func @weights(%x: tensor<2x1x2x3xf32>) -> (tensor<2x1xf32>, tensor<2x2xf32>) {
  %w = graph.constant dense<[[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]> : tensor<6x1xf32>
  %v = graph.constant dense<[[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [0.0, 2.0, 3.0, 4.0, 5.0, 1.0]]> : tensor<2x6xf32>
  %t = graph.transpose %x {perm = array<i64: 0, 3, 1, 2>} : (tensor<2x1x2x3xf32>) -> tensor<2x3x1x2xf32>
  %r = graph.reshape %t : (tensor<2x3x1x2xf32>) -> tensor<2x6xf32>
  %y = graph.matmul %r, %w : (tensor<2x6xf32>, tensor<6x1xf32>) -> tensor<2x1xf32>
  %s = graph.reshape %t : (tensor<2x3x1x2xf32>) -> tensor<2x6xf32>
  %z = graph.gemm %s, %v {alpha = 1.0 : f32, beta = 1.0 : f32, transB} : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x2xf32>
  return %y, %z : tensor<2x1xf32>, tensor<2x2xf32>
}

// Not sunk: the reshape merges channels and rows, which are not adjacent with channels last.
// CHECK-LABEL: func.func @flattened
// CHECK-NEXT: graph.transpose
// CHECK-NEXT: graph.reshape
func.func @flattened(%x: tensor<2x4x5x3xf32>) -> tensor<2x60xf32> {
  %t = graph.transpose %x {perm = array<i64: 0, 3, 1, 2>} : (tensor<2x4x5x3xf32>) -> tensor<2x3x4x5xf32>
  %y = graph.reshape %t : (tensor<2x3x4x5xf32>) -> tensor<2x60xf32>
  return %y : tensor<2x60xf32>
}

// The function's result is read by a reshape that merges axes in the model's order, so a transpose must stay
// before it.
// CHECK-LABEL: func.func @through_function_to_reshape
// CHECK: %[[T:.*]] = graph.transpose
// CHECK: graph.reshape %{{.*}} : (tensor<2x17x1x7xf32>) -> tensor<238x1xf32>
func.func @through_function_to_reshape(%x: tensor<2x1x7x17xf32>) -> tensor<238x1xf32> {
  %t = graph.transpose %x {perm = array<i64: 0, 3, 1, 2>} : (tensor<2x1x7x17xf32>) -> tensor<2x17x1x7xf32>
  %e = graph.erf %t : tensor<2x17x1x7xf32>
  %y = graph.reshape %e : (tensor<2x17x1x7xf32>) -> tensor<238x1xf32>
  return %y : tensor<238x1xf32>
}

// Resize treats each axis separately, so its scales and sizes are permuted.
// CHECK-LABEL: func.func @resized
// CHECK-NEXT: %[[A:.*]] = graph.resize %arg0 {{{.*}}scales = array<f32: 1.000000e+00, 2.000000e+00, 3.000000e+00, 1.000000e+00>{{.*}}} : (tensor<1x4x5x3xf32>) -> tensor<1x8x15x3xf32>
// CHECK-NEXT: %[[B:.*]] = graph.resize %[[A]] {{{.*}}sizes = array<i64: -1, 7, 9, -1>{{.*}}} : (tensor<1x8x15x3xf32>) -> tensor<1x7x9x3xf32>
// CHECK-NEXT: return %[[B]]
func.func @resized(%x: tensor<1x4x5x3xf32>) -> tensor<1x7x9x3xf32> {
  %t = graph.transpose %x {perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x5x3xf32>) -> tensor<1x3x4x5xf32>
  %a = graph.resize %t {scales = array<f32: 1.0, 1.0, 2.0, 3.0>, sizes = array<i64>, mode = 1 : i32, coordinates = 0 : i32, nearest = 0 : i32, policy = 0 : i32, region = array<f32>, cubicCoefficient = -0.75 : f32, extrapolation = 0.0 : f32}
    : (tensor<1x3x4x5xf32>) -> tensor<1x3x8x15xf32>
  %b = graph.resize %a {scales = array<f32>, sizes = array<i64: -1, -1, 7, 9>, mode = 0 : i32, coordinates = 4 : i32, nearest = 2 : i32, policy = 0 : i32, region = array<f32>, cubicCoefficient = -0.75 : f32, extrapolation = 0.0 : f32}
    : (tensor<1x3x8x15xf32>) -> tensor<1x3x7x9xf32>
  %y = graph.transpose %b {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x3x7x9xf32>) -> tensor<1x7x9x3xf32>
  return %y : tensor<1x7x9x3xf32>
}

// The region of a resize lists the begins of all axes, then their ends; both lists are permuted.
// CHECK-LABEL: func.func @cropped
// CHECK-NEXT: graph.resize %arg0 {{{.*}}region = array<f32: 0.000000e+00, 2.500000e-01, 5.000000e-01, 0.000000e+00, 1.000000e+00, 7.500000e-01, 8.750000e-01, 1.000000e+00>
// CHECK-NEXT: return
func.func @cropped(%x: tensor<1x4x5x3xf32>) -> tensor<1x2x3x3xf32> {
  %t = graph.transpose %x {perm = array<i64: 0, 3, 1, 2>} : (tensor<1x4x5x3xf32>) -> tensor<1x3x4x5xf32>
  %a = graph.resize %t {scales = array<f32>, sizes = array<i64: 1, 3, 2, 3>, mode = 1 : i32, coordinates = 6 : i32, nearest = 0 : i32, policy = 0 : i32, region = array<f32: 0.0, 0.0, 0.25, 0.5, 1.0, 1.0, 0.75, 0.875>, cubicCoefficient = -0.75 : f32, extrapolation = 0.0 : f32}
    : (tensor<1x3x4x5xf32>) -> tensor<1x3x2x3xf32>
  %y = graph.transpose %a {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x3x2x3xf32>) -> tensor<1x2x3x3xf32>
  return %y : tensor<1x2x3x3xf32>
}
