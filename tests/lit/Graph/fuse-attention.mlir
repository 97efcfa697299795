// RUN: tilerig-opt %s -fuse-attention -canonicalize | FileCheck %s

// Keys that were transposed come as they were before; dividing by 4 is a scale of a quarter.
// CHECK-LABEL: func.func @masked
// CHECK-NEXT: %[[Y:.*]] = graph.attention %arg0, %arg1, %arg2, %arg3 {scale = 2.500000e-01 : f64}
// CHECK-NEXT: return %[[Y]]
func.func @masked(%q: tensor<2x8x3x16xf32>, %k: tensor<2x8x5x16xf32>, %v: tensor<2x8x5x6xf32>, %mask: tensor<2x1x1x5xf32>)
    -> tensor<2x8x3x6xf32> {
  %four = graph.constant dense<4.0> : tensor<f32>
  %t = graph.transpose %k {perm = array<i64: 0, 1, 3, 2>} : (tensor<2x8x5x16xf32>) -> tensor<2x8x16x5xf32>
  %s = graph.matmul %q, %t : (tensor<2x8x3x16xf32>, tensor<2x8x16x5xf32>) -> tensor<2x8x3x5xf32>
  %d = graph.div %s, %four : (tensor<2x8x3x5xf32>, tensor<f32>) -> tensor<2x8x3x5xf32>
  %m = graph.add %d, %mask : (tensor<2x8x3x5xf32>, tensor<2x1x1x5xf32>) -> tensor<2x8x3x5xf32>
  %p = graph.softmax %m {axis = 3 : i64} : (tensor<2x8x3x5xf32>) -> tensor<2x8x3x5xf32>
  %y = graph.matmul %p, %v : (tensor<2x8x3x5xf32>, tensor<2x8x5x6xf32>) -> tensor<2x8x3x6xf32>
  return %y : tensor<2x8x3x6xf32>
}

// As PyTorch exports it: both operands scaled, and keys transposed from [batch, tokens, heads, width] at once.
// CHECK-LABEL: func.func @pytorch
// CHECK-NEXT: %[[K:.*]] = graph.transpose %arg1 {perm = array<i64: 0, 2, 1, 3>}
// CHECK-NEXT: %[[Y:.*]] = graph.attention %arg0, %[[K]], %arg2 {scale = 2.500000e-01 : f64}
// CHECK-NEXT: return %[[Y]]
func.func @pytorch(%q: tensor<2x8x3x16xf32>, %k: tensor<2x5x8x16xf32>, %v: tensor<2x8x5x6xf32>) -> tensor<2x8x3x6xf32> {
  %half = graph.constant dense<0.5> : tensor<f32>
  %t = graph.transpose %k {perm = array<i64: 0, 2, 3, 1>} : (tensor<2x5x8x16xf32>) -> tensor<2x8x16x5xf32>
  %a = graph.mul %q, %half : (tensor<2x8x3x16xf32>, tensor<f32>) -> tensor<2x8x3x16xf32>
  %b = graph.mul %half, %t : (tensor<f32>, tensor<2x8x16x5xf32>) -> tensor<2x8x16x5xf32>
  %s = graph.matmul %a, %b : (tensor<2x8x3x16xf32>, tensor<2x8x16x5xf32>) -> tensor<2x8x3x5xf32>
  %p = graph.softmax %s {axis = 3 : i64} : (tensor<2x8x3x5xf32>) -> tensor<2x8x3x5xf32>
  %y = graph.matmul %p, %v : (tensor<2x8x3x5xf32>, tensor<2x8x5x6xf32>) -> tensor<2x8x3x6xf32>
  return %y : tensor<2x8x3x6xf32>
}

// Softmax over queries, weights that somebody else reads, a mask that makes more of the scores.
// CHECK-LABEL: func.func @others
// CHECK-NOT: graph.attention
func.func @others(%q: tensor<4x4xf32>, %k: tensor<4x4xf32>, %v: tensor<4x4xf32>, %mask: tensor<2x4x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<2x4x4xf32>) {
  %s = graph.matmul %q, %k : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %p = graph.softmax %s {axis = 0 : i64} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %a = graph.matmul %p, %v : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %t = graph.matmul %k, %q : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %w = graph.softmax %t {axis = 1 : i64} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %b = graph.matmul %w, %v : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %u = graph.matmul %v, %q : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m = graph.add %u, %mask : (tensor<4x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %r = graph.softmax %m {axis = 2 : i64} : (tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %c = graph.matmul %r, %v : (tensor<2x4x4xf32>, tensor<4x4xf32>) -> tensor<2x4x4xf32>
  return %a, %w, %b, %c : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<2x4x4xf32>
}
