// RUN: tilerig-opt %s -fuse-layer-norm -canonicalize | FileCheck %s

// Layer normalisation as PyTorch exports it.
// CHECK-LABEL: func.func @pytorch
// CHECK-SAME: (%[[X:.*]]: tensor<2x4xf32>, %[[SCALE:.*]]: tensor<4xf32>, %[[BIAS:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[Y:.*]] = graph.layer_norm %[[X]], %[[SCALE]], %[[BIAS]] {axis = 1 : i64, epsilon = 1.000000e-03 : f32}
// CHECK-NEXT: return %[[Y]]
func.func @pytorch(%x: tensor<2x4xf32>, %scale: tensor<4xf32>, %bias: tensor<4xf32>) -> tensor<2x4xf32> {
  %two = graph.constant dense<2.0> : tensor<f32>
  %epsilon = graph.constant dense<1.0e-3> : tensor<f32>
  %mean = graph.reduce_mean %x {axes = array<i64: 1>, keepdims} : (tensor<2x4xf32>) -> tensor<2x1xf32>
  %d = graph.sub %x, %mean : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %square = graph.pow %d, %two : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  %variance = graph.reduce_mean %square {axes = array<i64: 1>, keepdims} : (tensor<2x4xf32>) -> tensor<2x1xf32>
  %sum = graph.add %variance, %epsilon : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %root = graph.sqrt %sum : tensor<2x1xf32>
  %norm = graph.div %d, %root : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %scaled = graph.mul %norm, %scale : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %y = graph.add %scaled, %bias : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// A variant: over two axes, squared by a product, divided by a reciprocal, without scale and bias.
// CHECK-LABEL: func.func @bare
// CHECK-NEXT: %[[ONES:.*]] = graph.constant dense<1.000000e+00> : tensor<3x4xf32>
// CHECK-NEXT: %[[Y:.*]] = graph.layer_norm %arg0, %[[ONES]] {axis = 1 : i64, epsilon = 1.000000e-03 : f32}
// CHECK-NEXT: return %[[Y]]
func.func @bare(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %epsilon = graph.constant dense<1.0e-3> : tensor<1xf32>
  %mean = graph.reduce_mean %x {axes = array<i64: 1, 2>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x1x1xf32>
  %d = graph.sub %x, %mean : (tensor<2x3x4xf32>, tensor<2x1x1xf32>) -> tensor<2x3x4xf32>
  %square = graph.mul %d, %d : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %variance = graph.reduce_mean %square {axes = array<i64: 1, 2>, keepdims} : (tensor<2x3x4xf32>) -> tensor<2x1x1xf32>
  %sum = graph.add %epsilon, %variance : (tensor<1xf32>, tensor<2x1x1xf32>) -> tensor<2x1x1xf32>
  %root = graph.sqrt %sum : tensor<2x1x1xf32>
  %r = graph.reciprocal %root : tensor<2x1x1xf32>
  %y = graph.mul %d, %r : (tensor<2x3x4xf32>, tensor<2x1x1xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// Layer normalisation as Keras exports it.
// CHECK-LABEL: func.func @keras
// CHECK-SAME: (%[[X:.*]]: tensor<2x4xf32>, %[[SCALE:.*]]: tensor<4xf32>, %[[BIAS:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[Y:.*]] = graph.layer_norm %[[X]], %[[SCALE]], %[[BIAS]] {axis = 1 : i64, epsilon = 1.000000e-03 : f32}
// CHECK-NEXT: return %[[Y]]
func.func @keras(%x: tensor<2x4xf32>, %scale: tensor<4xf32>, %bias: tensor<4xf32>) -> tensor<2x4xf32> {
  %epsilon = graph.constant dense<1.0e-3> : tensor<f32>
  %mean = graph.reduce_mean %x {axes = array<i64: 1>, keepdims} : (tensor<2x4xf32>) -> tensor<2x1xf32>
  %d = graph.sub %x, %mean : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %square = graph.mul %d, %d : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %variance = graph.reduce_mean %square {axes = array<i64: 1>, keepdims} : (tensor<2x4xf32>) -> tensor<2x1xf32>
  %sum = graph.add %variance, %epsilon : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %root = graph.sqrt %sum : tensor<2x1xf32>
  %r = graph.reciprocal %root : tensor<2x1xf32>
  %m = graph.mul %r, %scale : (tensor<2x1xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %scaled = graph.mul %x, %m : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %away = graph.mul %mean, %m : (tensor<2x1xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %shift = graph.sub %bias, %away : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %y = graph.add %scaled, %shift : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// Not fused: the reduced axis is not the last one.
// CHECK-LABEL: func.func @first_axis
// CHECK-NOT: layer_norm
func.func @first_axis(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %epsilon = graph.constant dense<1.0e-3> : tensor<f32>
  %mean = graph.reduce_mean %x {axes = array<i64: 0>, keepdims} : (tensor<2x4xf32>) -> tensor<1x4xf32>
  %d = graph.sub %x, %mean : (tensor<2x4xf32>, tensor<1x4xf32>) -> tensor<2x4xf32>
  %square = graph.mul %d, %d : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %variance = graph.reduce_mean %square {axes = array<i64: 0>, keepdims} : (tensor<2x4xf32>) -> tensor<1x4xf32>
  %sum = graph.add %variance, %epsilon : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xf32>
  %root = graph.sqrt %sum : tensor<1x4xf32>
  %y = graph.div %d, %root : (tensor<2x4xf32>, tensor<1x4xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// Not fused: the deviations have another reader; the deviations are cubed instead of squared.
// CHECK-LABEL: func.func @others
// CHECK-NOT: layer_norm
func.func @others(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
  %three = graph.constant dense<3.0> : tensor<f32>
  %epsilon = graph.constant dense<1.0e-3> : tensor<f32>
  %mean = graph.reduce_mean %x {axes = array<i64: 1>, keepdims} : (tensor<2x4xf32>) -> tensor<2x1xf32>
  %d = graph.sub %x, %mean : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %square = graph.mul %d, %d : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %variance = graph.reduce_mean %square {axes = array<i64: 1>, keepdims} : (tensor<2x4xf32>) -> tensor<2x1xf32>
  %sum = graph.add %variance, %epsilon : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %root = graph.sqrt %sum : tensor<2x1xf32>
  %y = graph.div %d, %root : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %mean2 = graph.reduce_mean %y {axes = array<i64: 1>, keepdims} : (tensor<2x4xf32>) -> tensor<2x1xf32>
  %d2 = graph.sub %y, %mean2 : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %cube = graph.pow %d2, %three : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  %variance2 = graph.reduce_mean %cube {axes = array<i64: 1>, keepdims} : (tensor<2x4xf32>) -> tensor<2x1xf32>
  %sum2 = graph.add %variance2, %epsilon : (tensor<2x1xf32>, tensor<f32>) -> tensor<2x1xf32>
  %root2 = graph.sqrt %sum2 : tensor<2x1xf32>
  %z = graph.div %d2, %root2 : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  return %d, %y, %z : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
}

// Not fused into the scale: a factor for each row.
// CHECK-LABEL: func.func @rows
// CHECK: graph.layer_norm
// CHECK: graph.mul
func.func @rows(%x: tensor<2x4xf32>, %scale: tensor<4xf32>, %rows: tensor<2x1xf32>) -> tensor<2x4xf32> {
  %ones = graph.constant dense<1.0> : tensor<4xf32>
  %norm = graph.layer_norm %x, %ones {axis = 1 : i64, epsilon = 1.0e-3 : f32} : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %y = graph.mul %norm, %rows : (tensor<2x4xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
