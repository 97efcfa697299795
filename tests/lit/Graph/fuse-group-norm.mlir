// RUN: tilerig-opt %s -fuse-group-norm -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @groups
// CHECK-DAG: %[[SCALE:.*]] = graph.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> : tensor<4xf32>
// CHECK-DAG: %[[BIAS:.*]] = graph.constant dense<[5.000000e+00, 6.000000e+00, 7.000000e+00, 8.000000e+00]> : tensor<4xf32>
// CHECK: %[[Y:.*]] = graph.group_norm %arg0, %[[SCALE]], %[[BIAS]] {epsilon = 1.000000e-03 : f32, groups = 2 : i64}
// CHECK-NEXT: return %[[Y]]
func.func @groups(%x: tensor<1x4x3x3xf32>) -> tensor<1x4x3x3xf32> {
  %ones = graph.constant dense<1.0> : tensor<2xf32>
  %zeros = graph.constant dense<0.0> : tensor<2xf32>
  %scale = graph.constant dense<[[[1.0]], [[2.0]], [[3.0]], [[4.0]]]> : tensor<4x1x1xf32>
  %bias = graph.constant dense<[[[5.0]], [[6.0]], [[7.0]], [[8.0]]]> : tensor<4x1x1xf32>
  %g = graph.reshape %x : (tensor<1x4x3x3xf32>) -> tensor<1x2x18xf32>
  %n = graph.instance_norm %g, %ones, %zeros {epsilon = 1.0e-3 : f32} : (tensor<1x2x18xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x18xf32>
  %r = graph.reshape %n : (tensor<1x2x18xf32>) -> tensor<1x4x3x3xf32>
  %s = graph.mul %r, %scale : (tensor<1x4x3x3xf32>, tensor<4x1x1xf32>) -> tensor<1x4x3x3xf32>
  %y = graph.add %s, %bias : (tensor<1x4x3x3xf32>, tensor<4x1x1xf32>) -> tensor<1x4x3x3xf32>
  return %y : tensor<1x4x3x3xf32>
}

// Not fused: different scales of groups, groups across the batch, and a result of another shape than the
// input.
// CHECK-LABEL: func.func @others
// CHECK-NOT: group_norm
func.func @others(%x: tensor<2x4x3x3xf32>) -> (tensor<2x4x3x3xf32>, tensor<2x4x3x3xf32>, tensor<2x4x9xf32>) {
  %ones = graph.constant dense<1.0> : tensor<2xf32>
  %gains = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %zeros = graph.constant dense<0.0> : tensor<2xf32>
  %four = graph.constant dense<1.0> : tensor<4xf32>
  %none = graph.constant dense<0.0> : tensor<4xf32>
  %g = graph.reshape %x : (tensor<2x4x3x3xf32>) -> tensor<2x2x18xf32>
  %n = graph.instance_norm %g, %gains, %zeros {epsilon = 1.0e-3 : f32} : (tensor<2x2x18xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x2x18xf32>
  %a = graph.reshape %n : (tensor<2x2x18xf32>) -> tensor<2x4x3x3xf32>
  %h = graph.reshape %x : (tensor<2x4x3x3xf32>) -> tensor<1x4x18xf32>
  %m = graph.instance_norm %h, %four, %none {epsilon = 1.0e-3 : f32} : (tensor<1x4x18xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x4x18xf32>
  %b = graph.reshape %m : (tensor<1x4x18xf32>) -> tensor<2x4x3x3xf32>
  %i = graph.reshape %x : (tensor<2x4x3x3xf32>) -> tensor<2x2x18xf32>
  %o = graph.instance_norm %i, %ones, %zeros {epsilon = 1.0e-3 : f32} : (tensor<2x2x18xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x2x18xf32>
  %c = graph.reshape %o : (tensor<2x2x18xf32>) -> tensor<2x4x9xf32>
  return %a, %b, %c : tensor<2x4x3x3xf32>, tensor<2x4x3x3xf32>, tensor<2x4x9xf32>
}
