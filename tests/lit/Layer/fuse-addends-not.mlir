// RUN: tilerig-opt %s -fuse-addends | FileCheck %s

// The reason is recorded on the addition: one for each operand that a product computes.

// CHECK-LABEL: func.func @read_twice
// CHECK: layer.binary add {{.*}}layer.not_fused = ["the result of Conv has 1 other readers"]
func.func @read_twice(%x: tensor<1x4x4x3xf32>, %w: tensor<5x1x1x3xf32>, %r: tensor<1x4x4x5xf32>) -> (tensor<1x4x4x5xf32>, tensor<1x4x4x5xf32>) {
  %c = layer.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x4x4x3xf32>, tensor<5x1x1x3xf32>) -> tensor<1x4x4x5xf32>
  %y = layer.binary add %c, %r : (tensor<1x4x4x5xf32>, tensor<1x4x4x5xf32>) -> tensor<1x4x4x5xf32>
  return %y, %c : tensor<1x4x4x5xf32>, tensor<1x4x4x5xf32>
}

// CHECK-LABEL: func.func @with_itself
// CHECK: layer.binary add {{.*}}layer.not_fused = ["the result of Conv has 1 other readers", "the result of Conv has 1 other readers"]
func.func @with_itself(%x: tensor<1x4x4x3xf32>, %w: tensor<5x1x1x3xf32>) -> tensor<1x4x4x5xf32> {
  %c = layer.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x4x4x3xf32>, tensor<5x1x1x3xf32>) -> tensor<1x4x4x5xf32>
  %y = layer.binary add %c, %c : (tensor<1x4x4x5xf32>, tensor<1x4x4x5xf32>) -> tensor<1x4x4x5xf32>
  return %y : tensor<1x4x4x5xf32>
}

// Not fused: an addend must have the shape of the result.
// CHECK-LABEL: func.func @broadcast
// CHECK: layer.binary add {{.*}}layer.not_fused = ["the other summand has another type or shape"]
// CHECK: layer.binary add {{.*}}layer.not_fused = ["the result of Conv has another type or shape"]
func.func @broadcast(%x: tensor<1x4x4x3xf32>, %w: tensor<5x1x1x3xf32>, %r: tensor<1x1x1x5xf32>, %s: tensor<2x4x4x5xf32>) -> (tensor<1x4x4x5xf32>, tensor<2x4x4x5xf32>) {
  %c = layer.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x4x4x3xf32>, tensor<5x1x1x3xf32>) -> tensor<1x4x4x5xf32>
  %y = layer.binary add %c, %r : (tensor<1x4x4x5xf32>, tensor<1x1x1x5xf32>) -> tensor<1x4x4x5xf32>
  %d = layer.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x4x4x3xf32>, tensor<5x1x1x3xf32>) -> tensor<1x4x4x5xf32>
  %z = layer.binary add %d, %s : (tensor<1x4x4x5xf32>, tensor<2x4x4x5xf32>) -> tensor<2x4x4x5xf32>
  return %y, %z : tensor<1x4x4x5xf32>, tensor<2x4x4x5xf32>
}

// Not fused: product and sum both have a function, and an epilogue has only one.
// CHECK-LABEL: func.func @two_functions
// CHECK: layer.conv {{.*}} then <relu>
// CHECK: layer.binary add {{.*}} then <tanh> {layer.not_fused = ["the epilogue of Conv already applies relu"]}
func.func @two_functions(%x: tensor<1x4x4x3xf32>, %w: tensor<5x1x1x3xf32>, %r: tensor<1x4x4x5xf32>) -> tensor<1x4x4x5xf32> {
  %c = layer.conv %x, %w then <relu> {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x4x4x3xf32>, tensor<5x1x1x3xf32>) -> tensor<1x4x4x5xf32>
  %y = layer.binary add %c, %r then <tanh> : (tensor<1x4x4x5xf32>, tensor<1x4x4x5xf32>) -> tensor<1x4x4x5xf32>
  return %y : tensor<1x4x4x5xf32>
}

// Not fused: a difference instead of a sum; the sum of a pool instead of a product.
// CHECK-LABEL: func.func @others
// CHECK: layer.binary sub
// CHECK: layer.binary add
// CHECK-NOT: layer.not_fused
func.func @others(%x: tensor<1x4x4x3xf32>, %w: tensor<5x1x1x3xf32>, %r: tensor<1x4x4x5xf32>) -> tensor<1x4x4x5xf32> {
  %c = layer.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x4x4x3xf32>, tensor<5x1x1x3xf32>) -> tensor<1x4x4x5xf32>
  %y = layer.binary sub %c, %r : (tensor<1x4x4x5xf32>, tensor<1x4x4x5xf32>) -> tensor<1x4x4x5xf32>
  %p = layer.pool max %y {kernel = array<i64: 1, 1>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x4x4x5xf32>) -> tensor<1x4x4x5xf32>
  %z = layer.binary add %p, %r : (tensor<1x4x4x5xf32>, tensor<1x4x4x5xf32>) -> tensor<1x4x4x5xf32>
  return %z : tensor<1x4x4x5xf32>
}

// Not fused: behind a product with an addend, and a function that needs a scale of its own.
// CHECK-LABEL: func.func @used
// CHECK: layer.binary add {{.*}}layer.not_fused = ["the epilogue of Conv already adds a tensor"]
// CHECK: layer.binary add {{.*}}layer.not_fused = ["with an addend, the epilogue of Conv can apply only functions that clamp"]
func.func @used(%x: tensor<1x4x4x3xf32>, %w: tensor<5x1x1x3xf32>, %r: tensor<1x4x4x5xf32>) -> (tensor<1x4x4x5xf32>, tensor<1x4x4x5xf32>) {
  %c = layer.conv %x, %w addend %r {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x4x4x3xf32>, tensor<5x1x1x3xf32>, tensor<1x4x4x5xf32>) -> tensor<1x4x4x5xf32>
  %y = layer.binary add %c, %r : (tensor<1x4x4x5xf32>, tensor<1x4x4x5xf32>) -> tensor<1x4x4x5xf32>
  %d = layer.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x4x4x3xf32>, tensor<5x1x1x3xf32>) -> tensor<1x4x4x5xf32>
  %z = layer.binary add %d, %r then <tanh> : (tensor<1x4x4x5xf32>, tensor<1x4x4x5xf32>) -> tensor<1x4x4x5xf32>
  return %y, %z : tensor<1x4x4x5xf32>, tensor<1x4x4x5xf32>
}
