// RUN: tilerig-opt %s -fuse-silu -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @silu
// CHECK-NEXT: %[[Y:.*]] = graph.silu %arg0
// CHECK-NEXT: return %[[Y]]
func.func @silu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = graph.sigmoid %x : tensor<4xf32>
  %y = graph.mul %s, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// Not fused: the sigmoid of x multiplies another tensor than x.
// CHECK-LABEL: func.func @gate
// CHECK: graph.sigmoid
// CHECK: graph.mul
func.func @gate(%x: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
  %s = graph.sigmoid %x : tensor<4xf32>
  %y = graph.mul %z, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
