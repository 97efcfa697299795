// RUN: tilerig-opt %s -fuse-addends | FileCheck %s --implicit-check-not=layer.binary

// A function of the sum is applied after the addend, a function of the product before it (functionFirst).
// CHECK-LABEL: func.func @functions
// CHECK: layer.conv %arg0, %arg1 addend %arg2 then <relu> {dilations = array<i64: 1, 1>, groups
// CHECK: layer.conv %arg0, %arg1 addend %arg2 then <relu> {dilations = array<i64: 1, 1>, functionFirst, groups
func.func @functions(%x: tensor<1x4x4x3xf32>, %w: tensor<5x1x1x3xf32>, %r: tensor<1x4x4x5xf32>) -> (tensor<1x4x4x5xf32>, tensor<1x4x4x5xf32>) {
  %c = layer.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x4x4x3xf32>, tensor<5x1x1x3xf32>) -> tensor<1x4x4x5xf32>
  %y = layer.binary add %c, %r then <relu> : (tensor<1x4x4x5xf32>, tensor<1x4x4x5xf32>) -> tensor<1x4x4x5xf32>
  %d = layer.conv %x, %w then <relu> {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x4x4x3xf32>, tensor<5x1x1x3xf32>) -> tensor<1x4x4x5xf32>
  %z = layer.binary add %r, %d : (tensor<1x4x4x5xf32>, tensor<1x4x4x5xf32>) -> tensor<1x4x4x5xf32>
  return %y, %z : tensor<1x4x4x5xf32>, tensor<1x4x4x5xf32>
}

// In a sum of two products, the later product takes the earlier one as its addend.
// CHECK-LABEL: func.func @both
// CHECK: %[[FIRST:.*]] = layer.conv %arg0, %arg1 {
// CHECK: layer.conv %arg0, %arg2 addend %[[FIRST]] {
func.func @both(%x: tensor<1x4x4x3xf32>, %w: tensor<5x1x1x3xf32>, %v: tensor<5x1x1x3xf32>) -> tensor<1x4x4x5xf32> {
  %c = layer.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x4x4x3xf32>, tensor<5x1x1x3xf32>) -> tensor<1x4x4x5xf32>
  %d = layer.conv %x, %v {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x4x4x3xf32>, tensor<5x1x1x3xf32>) -> tensor<1x4x4x5xf32>
  %y = layer.binary add %d, %c : (tensor<1x4x4x5xf32>, tensor<1x4x4x5xf32>) -> tensor<1x4x4x5xf32>
  return %y : tensor<1x4x4x5xf32>
}

// If the addend is computed after the product, the product is moved behind the addend's layer.
// CHECK-LABEL: func.func @later
// CHECK: %[[R:.*]] = layer.activate by <tanh> %arg2
// CHECK: layer.conv %arg0, %arg1 addend %[[R]] {
func.func @later(%x: tensor<1x4x4x3xf32>, %w: tensor<5x1x1x3xf32>, %r: tensor<1x4x4x5xf32>) -> tensor<1x4x4x5xf32> {
  %c = layer.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x4x4x3xf32>, tensor<5x1x1x3xf32>) -> tensor<1x4x4x5xf32>
  %t = layer.activate by <tanh> %r : (tensor<1x4x4x5xf32>) -> tensor<1x4x4x5xf32>
  %y = layer.binary add %c, %t : (tensor<1x4x4x5xf32>, tensor<1x4x4x5xf32>) -> tensor<1x4x4x5xf32>
  return %y : tensor<1x4x4x5xf32>
}

// The later product and the sum both have functions, so the earlier product takes the later one as its
// addend.
// CHECK-LABEL: func.func @earlier
// CHECK: %[[LATER:.*]] = layer.conv %arg0, %arg2 then <tanh> {
// CHECK: layer.conv %arg0, %arg1 addend %[[LATER]] then <relu> {
func.func @earlier(%x: tensor<1x4x4x3xf32>, %w: tensor<5x1x1x3xf32>, %v: tensor<5x1x1x3xf32>) -> tensor<1x4x4x5xf32> {
  %c = layer.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x4x4x3xf32>, tensor<5x1x1x3xf32>) -> tensor<1x4x4x5xf32>
  %d = layer.conv %x, %v then <tanh> {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x4x4x3xf32>, tensor<5x1x1x3xf32>) -> tensor<1x4x4x5xf32>
  %y = layer.binary add %c, %d then <relu> : (tensor<1x4x4x5xf32>, tensor<1x4x4x5xf32>) -> tensor<1x4x4x5xf32>
  return %y : tensor<1x4x4x5xf32>
}

// In a chain of sums, each product takes one addend.
// CHECK-LABEL: func.func @chain
// CHECK: %[[A:.*]] = layer.matmul %arg0, %arg0 addend %arg1
// CHECK: layer.matmul %arg0, %[[A]] addend %arg1
func.func @chain(%a: tensor<2x2xf32>, %r: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %b = layer.matmul %a, %a : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %c = layer.binary add %b, %r : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %d = layer.matmul %a, %c : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %e = layer.binary add %r, %d : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %e : tensor<2x2xf32>
}
