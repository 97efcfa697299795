// RUN: tilerig-opt %s -fuse-attention -canonicalize | FileCheck %s

// The attention takes the keys before their transpose; division of the scores by 4 becomes the scale 1/4.
// CHECK-LABEL: func.func @masked
// CHECK-NEXT: %[[Y:.*]] = graph.attention %arg0, %arg1, %arg2 mask %arg3 {scale = 2.500000e-01 : f64}
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

// PyTorch's export: queries and keys are both scaled, and one transpose takes keys from [batch, tokens,
// heads, width].
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

// Export of GPT-2: scores of later tokens are replaced by a large negative number, then the padding mask is
// added. In GPT-J the scale comes after this choice.
// CHECK-LABEL: func.func @filled_first
// CHECK-NEXT: %[[Y:.*]] = graph.attention %arg0, %arg1, %arg2 mask %arg3 choice %arg4
// CHECK-SAME: {fill = -1.000000e+03 : f64, fillFirst, scale = 2.500000e-01 : f64}
// CHECK-NEXT: return %[[Y]]
func.func @filled_first(%q: tensor<8x3x16xf32>, %k: tensor<8x5x16xf32>, %v: tensor<8x5x6xf32>, %mask: tensor<1x1x5xf32>,
                        %causal: tensor<3x5xi1>) -> tensor<8x3x6xf32> {
  %four = graph.constant dense<4.0> : tensor<f32>
  %least = graph.constant dense<-4.0e3> : tensor<1xf32>
  %t = graph.transpose %k {perm = array<i64: 0, 2, 1>} : (tensor<8x5x16xf32>) -> tensor<8x16x5xf32>
  %s = graph.matmul %q, %t : (tensor<8x3x16xf32>, tensor<8x16x5xf32>) -> tensor<8x3x5xf32>
  %c = graph.where %causal, %s, %least : (tensor<3x5xi1>, tensor<8x3x5xf32>, tensor<1xf32>) -> tensor<8x3x5xf32>
  %d = graph.div %c, %four : (tensor<8x3x5xf32>, tensor<f32>) -> tensor<8x3x5xf32>
  %m = graph.add %d, %mask : (tensor<8x3x5xf32>, tensor<1x1x5xf32>) -> tensor<8x3x5xf32>
  %p = graph.softmax %m {axis = 2 : i64} : (tensor<8x3x5xf32>) -> tensor<8x3x5xf32>
  %y = graph.matmul %p, %v : (tensor<8x3x5xf32>, tensor<8x5x6xf32>) -> tensor<8x3x6xf32>
  return %y : tensor<8x3x6xf32>
}

// Bloom and PyTorch's masked_fill: a position bias is added, then chosen scores become -infinity; rows
// without any other score get weights of zero.
// CHECK-LABEL: func.func @hidden
// CHECK-NEXT: %[[Y:.*]] = graph.attention %arg0, %arg1, %arg2 mask %arg3 choice %arg4
// CHECK-SAME: {fill = 0xFFF0000000000000 : f64, fillsChosen, nanIsZero, scale = 5.000000e-01 : f64}
// CHECK-NEXT: return %[[Y]]
func.func @hidden(%q: tensor<8x3x16xf32>, %k: tensor<8x5x16xf32>, %v: tensor<8x5x6xf32>, %mask: tensor<8x1x5xf32>,
                  %hidden: tensor<3x5xi1>) -> tensor<8x3x6xf32> {
  %half = graph.constant dense<0.5> : tensor<f32>
  %none = graph.constant dense<0xFF800000> : tensor<f32>
  %zero = graph.constant dense<0.0> : tensor<f32>
  %t = graph.transpose %k {perm = array<i64: 0, 2, 1>} : (tensor<8x5x16xf32>) -> tensor<8x16x5xf32>
  %h = graph.mul %q, %half : (tensor<8x3x16xf32>, tensor<f32>) -> tensor<8x3x16xf32>
  %s = graph.matmul %h, %t : (tensor<8x3x16xf32>, tensor<8x16x5xf32>) -> tensor<8x3x5xf32>
  %m = graph.add %mask, %s : (tensor<8x1x5xf32>, tensor<8x3x5xf32>) -> tensor<8x3x5xf32>
  %c = graph.where %hidden, %none, %m : (tensor<3x5xi1>, tensor<f32>, tensor<8x3x5xf32>) -> tensor<8x3x5xf32>
  %p = graph.softmax %c {axis = 2 : i64} : (tensor<8x3x5xf32>) -> tensor<8x3x5xf32>
  %n = graph.is_nan %p : (tensor<8x3x5xf32>) -> tensor<8x3x5xi1>
  %w = graph.where %n, %zero, %p : (tensor<8x3x5xi1>, tensor<f32>, tensor<8x3x5xf32>) -> tensor<8x3x5xf32>
  %y = graph.matmul %w, %v : (tensor<8x3x5xf32>, tensor<8x5x6xf32>) -> tensor<8x3x6xf32>
  return %y : tensor<8x3x6xf32>
}

// OPT and BART: batch and heads are one axis, which is split only to add the mask.
// CHECK-LABEL: func.func @divided
// CHECK-DAG: %[[Q:.*]] = graph.reshape %arg0 : (tensor<8x3x16xf32>) -> tensor<2x4x3x16xf32>
// CHECK-DAG: %[[K:.*]] = graph.reshape %arg1 : (tensor<8x5x16xf32>) -> tensor<2x4x5x16xf32>
// CHECK-DAG: %[[V:.*]] = graph.reshape %arg2 : (tensor<8x5x6xf32>) -> tensor<2x4x5x6xf32>
// CHECK: %[[A:.*]] = graph.attention %[[Q]], %[[K]], %[[V]] mask %arg3 {scale = 1.000000e+00 : f64}
// CHECK-NEXT: %[[Y:.*]] = graph.reshape %[[A]] : (tensor<2x4x3x6xf32>) -> tensor<8x3x6xf32>
// CHECK-NEXT: return %[[Y]]
func.func @divided(%q: tensor<8x3x16xf32>, %k: tensor<8x5x16xf32>, %v: tensor<8x5x6xf32>, %mask: tensor<2x1x1x5xf32>)
    -> tensor<8x3x6xf32> {
  %t = graph.transpose %k {perm = array<i64: 0, 2, 1>} : (tensor<8x5x16xf32>) -> tensor<8x16x5xf32>
  %s = graph.matmul %q, %t : (tensor<8x3x16xf32>, tensor<8x16x5xf32>) -> tensor<8x3x5xf32>
  %d = graph.reshape %s : (tensor<8x3x5xf32>) -> tensor<2x4x3x5xf32>
  %m = graph.add %d, %mask : (tensor<2x4x3x5xf32>, tensor<2x1x1x5xf32>) -> tensor<2x4x3x5xf32>
  %u = graph.reshape %m : (tensor<2x4x3x5xf32>) -> tensor<8x3x5xf32>
  %p = graph.softmax %u {axis = 2 : i64} : (tensor<8x3x5xf32>) -> tensor<8x3x5xf32>
  %y = graph.matmul %p, %v : (tensor<8x3x5xf32>, tensor<8x5x6xf32>) -> tensor<8x3x6xf32>
  return %y : tensor<8x3x6xf32>
}

// Not fused: a reshape that splits rows of scores; a split of heads when all heads share the same keys.
// CHECK-LABEL: func.func @not_divided
// CHECK-NOT: graph.attention
func.func @not_divided(%q: tensor<8x4x16xf32>, %k: tensor<16x4xf32>, %v: tensor<8x4x6xf32>, %w: tensor<16x2x6xf32>,
                       %mask: tensor<2x1x1x4xf32>) -> (tensor<8x4x6xf32>, tensor<16x4x6xf32>) {
  %s = graph.matmul %q, %k : (tensor<8x4x16xf32>, tensor<16x4xf32>) -> tensor<8x4x4xf32>
  %d = graph.reshape %s : (tensor<8x4x4xf32>) -> tensor<2x4x4x4xf32>
  %m = graph.add %d, %mask : (tensor<2x4x4x4xf32>, tensor<2x1x1x4xf32>) -> tensor<2x4x4x4xf32>
  %u = graph.reshape %m : (tensor<2x4x4x4xf32>) -> tensor<8x4x4xf32>
  %p = graph.softmax %u {axis = 2 : i64} : (tensor<8x4x4xf32>) -> tensor<8x4x4xf32>
  %y = graph.matmul %p, %v : (tensor<8x4x4xf32>, tensor<8x4x6xf32>) -> tensor<8x4x6xf32>
  %t = graph.matmul %q, %k : (tensor<8x4x16xf32>, tensor<16x4xf32>) -> tensor<8x4x4xf32>
  %e = graph.reshape %t : (tensor<8x4x4xf32>) -> tensor<16x4x2xf32>
  %r = graph.softmax %e {axis = 2 : i64} : (tensor<16x4x2xf32>) -> tensor<16x4x2xf32>
  %z = graph.matmul %r, %w : (tensor<16x4x2xf32>, tensor<16x2x6xf32>) -> tensor<16x4x6xf32>
  return %y, %z : tensor<8x4x6xf32>, tensor<16x4x6xf32>
}

// Not fused: a scale after the sum, which scales the mask, too; a choice that replaces scores by more than
// one number; weights that are replaced by ones.
// CHECK-LABEL: func.func @not_masks
// CHECK-NOT: graph.attention
func.func @not_masks(%q: tensor<4x4xf32>, %k: tensor<4x4xf32>, %v: tensor<4x4xf32>, %mask: tensor<4x4xf32>,
                     %kept: tensor<4x4xi1>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %half = graph.constant dense<0.5> : tensor<f32>
  %least = graph.constant dense<-1.0e3> : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %s = graph.matmul %q, %k : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %m = graph.add %s, %mask : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %f = graph.where %kept, %m, %least : (tensor<4x4xi1>, tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  %h = graph.mul %f, %half : (tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  %p = graph.softmax %h {axis = 1 : i64} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %a = graph.matmul %p, %v : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %t = graph.matmul %k, %q : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %g = graph.where %kept, %t, %mask : (tensor<4x4xi1>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %w = graph.softmax %g {axis = 1 : i64} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %b = graph.matmul %w, %v : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %u = graph.matmul %v, %q : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = graph.softmax %u {axis = 1 : i64} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %n = graph.is_nan %r : (tensor<4x4xf32>) -> tensor<4x4xi1>
  %o = graph.where %n, %one, %r : (tensor<4x4xi1>, tensor<f32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %c = graph.matmul %o, %v : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %a, %b, %c : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// Not fused: softmax over queries; weights with another reader; a mask that broadcasts the scores to more
// axes.
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
