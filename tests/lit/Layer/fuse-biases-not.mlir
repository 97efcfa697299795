// RUN: tilerig-opt %s -fuse-biases -fuse-biases | FileCheck %s --implicit-check-not=" bias "

// Not fused: the result without the bias is an output, too.
// CHECK-LABEL: func.func @read_twice
// CHECK: layer.binary add {{.*}}layer.not_fused = ["the result of Conv has 1 other readers"]
func.func @read_twice(%x: tensor<1x4x4x3xf32>, %w: tensor<5x1x1x3xf32>) -> (tensor<1x4x4x5xf32>, tensor<1x4x4x5xf32>) {
  %s = layer.constant dense<0.5> : tensor<f32> as tensor<f32>
  %c = layer.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x4x4x3xf32>, tensor<5x1x1x3xf32>) -> tensor<1x4x4x5xf32>
  %y = layer.binary add %c, %s : (tensor<1x4x4x5xf32>, tensor<f32>) -> tensor<1x4x4x5xf32>
  return %y, %c : tensor<1x4x4x5xf32>, tensor<1x4x4x5xf32>
}

// Not fused: a constant for each row, although there are as many rows as outputs.
// CHECK-LABEL: func.func @rows
// CHECK: layer.binary add {{.*}}layer.not_fused = ["the constant is not one number for each output"]
func.func @rows(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x2xf32> {
  %c = layer.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32> as tensor<2x1xf32>
  %p = layer.matmul %a, %b : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  %y = layer.binary add %p, %c : (tensor<2x2xf32>, tensor<2x1xf32>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// Not fused: the right operand is a batch of matrices.
// CHECK-LABEL: func.func @batches
// CHECK: layer.binary add {{.*}}layer.not_fused = ["MatMul multiplies by a stack of matrices, so it has no bias"]
func.func @batches(%a: tensor<7x2x3xf32>, %b: tensor<7x2x3xf32>) -> tensor<7x2x2xf32> {
  %c = layer.constant dense<[1.0, 2.0]> : tensor<2xf32> as tensor<2xf32>
  %p = layer.matmul %a, %b : (tensor<7x2x3xf32>, tensor<7x2x3xf32>) -> tensor<7x2x2xf32>
  %y = layer.binary add %p, %c : (tensor<7x2x2xf32>, tensor<2xf32>) -> tensor<7x2x2xf32>
  return %y : tensor<7x2x2xf32>
}

// Not fused: the sum broadcasts the product to more outputs.
// CHECK-LABEL: func.func @wider
// CHECK: layer.binary add {{.*}}layer.not_fused = ["the result of MatMul has another type or shape"]
func.func @wider(%a: tensor<2x3xf32>, %b: tensor<1x3xf32>) -> tensor<2x2xf32> {
  %c = layer.constant dense<[1.0, 2.0]> : tensor<2xf32> as tensor<2xf32>
  %p = layer.matmul %a, %b : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x1xf32>
  %y = layer.binary add %p, %c : (tensor<2x1xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// Not fused: after a function or an addend, a constant is not part of the start value of the sum.
// CHECK-LABEL: func.func @behind
// CHECK: layer.binary add {{.*}}layer.not_fused = ["the epilogue of Conv already applies relu"]
// CHECK: layer.binary add {{.*}}layer.not_fused = ["the epilogue of Conv already adds a tensor"]
func.func @behind(%x: tensor<1x4x4x3xf32>, %w: tensor<5x1x1x3xf32>, %r: tensor<1x4x4x5xf32>) -> (tensor<1x4x4x5xf32>, tensor<1x4x4x5xf32>) {
  %s = layer.constant dense<0.5> : tensor<f32> as tensor<f32>
  %c = layer.conv %x, %w then <relu> {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x4x4x3xf32>, tensor<5x1x1x3xf32>) -> tensor<1x4x4x5xf32>
  %y = layer.binary add %c, %s : (tensor<1x4x4x5xf32>, tensor<f32>) -> tensor<1x4x4x5xf32>
  %d = layer.conv %x, %w addend %r {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x4x4x3xf32>, tensor<5x1x1x3xf32>, tensor<1x4x4x5xf32>) -> tensor<1x4x4x5xf32>
  %z = layer.binary add %d, %s : (tensor<1x4x4x5xf32>, tensor<f32>) -> tensor<1x4x4x5xf32>
  return %y, %z : tensor<1x4x4x5xf32>, tensor<1x4x4x5xf32>
}

// Not fused: an operand that is not constant; a difference instead of a sum.
// CHECK-LABEL: func.func @others
// CHECK: layer.binary add
// CHECK-NOT: layer.not_fused
// CHECK: layer.binary sub
func.func @others(%x: tensor<1x4x4x3xf32>, %w: tensor<5x1x1x3xf32>, %b: tensor<5xf32>) -> (tensor<1x4x4x5xf32>, tensor<1x4x4x5xf32>) {
  %s = layer.constant dense<0.5> : tensor<f32> as tensor<f32>
  %c = layer.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x4x4x3xf32>, tensor<5x1x1x3xf32>) -> tensor<1x4x4x5xf32>
  %y = layer.binary add %c, %b : (tensor<1x4x4x5xf32>, tensor<5xf32>) -> tensor<1x4x4x5xf32>
  %d = layer.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x4x4x3xf32>, tensor<5x1x1x3xf32>) -> tensor<1x4x4x5xf32>
  %z = layer.binary sub %s, %d : (tensor<f32>, tensor<1x4x4x5xf32>) -> tensor<1x4x4x5xf32>
  return %y, %z : tensor<1x4x4x5xf32>, tensor<1x4x4x5xf32>
}
