// RUN: tilerig-opt %s -fuse-gelu -canonicalize | FileCheck %s

// GELU as PyTorch exports it.
// CHECK-LABEL: func.func @pytorch
// CHECK-NEXT: %[[Y:.*]] = graph.gelu %arg0
// CHECK-NEXT: return %[[Y]]
func.func @pytorch(%x: tensor<4xf32>) -> tensor<4xf32> {
  %root = graph.constant dense<1.41421354> : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %half = graph.constant dense<0.5> : tensor<f32>
  %d = graph.div %x, %root : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %e = graph.erf %d : tensor<4xf32>
  %s = graph.add %e, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %m = graph.mul %x, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y = graph.mul %m, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// A variant: x is halved first, and multiplied by 1/sqrt(2) instead of divided by sqrt(2).
// CHECK-LABEL: func.func @half_first
// CHECK-NEXT: graph.gelu %arg0
func.func @half_first(%x: tensor<4xf32>) -> tensor<4xf32> {
  %root = graph.constant dense<0.707106769> : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %half = graph.constant dense<0.5> : tensor<f32>
  %h = graph.mul %half, %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %d = graph.mul %x, %root : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %e = graph.erf %d : tensor<4xf32>
  %s = graph.add %one, %e : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %y = graph.mul %s, %h : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// Not fused: without the division by sqrt(2) it is not GELU.
// CHECK-LABEL: func.func @other
// CHECK: graph.erf
func.func @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  %one = graph.constant dense<1.0> : tensor<f32>
  %half = graph.constant dense<0.5> : tensor<f32>
  %e = graph.erf %x : tensor<4xf32>
  %s = graph.add %e, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %m = graph.mul %x, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y = graph.mul %m, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
