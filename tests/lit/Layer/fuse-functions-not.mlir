// RUN: tilerig-opt %s -fuse-functions | FileCheck %s

// CHECK-LABEL: func.func @read_twice
// CHECK: layer.activate {{.*}}layer.not_fused = ["the result of Conv has 1 other readers"]
func.func @read_twice(%x: tensor<1x4x4x3xf32>, %w: tensor<5x1x1x3xf32>) -> (tensor<1x4x4x5xf32>, tensor<1x4x4x5xf32>) {
  %c = layer.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x4x4x3xf32>, tensor<5x1x1x3xf32>) -> tensor<1x4x4x5xf32>
  %y = layer.activate by <relu> %c : (tensor<1x4x4x5xf32>) -> tensor<1x4x4x5xf32>
  return %y, %c : tensor<1x4x4x5xf32>, tensor<1x4x4x5xf32>
}

// Not fused: a layer has at most one function.
// CHECK-LABEL: func.func @two
// CHECK: layer.binary add {{.*}} then <relu>
// CHECK: layer.activate by <sigmoid> {{.*}}layer.not_fused = ["the epilogue of Add already applies relu"]
func.func @two(%a: tensor<2xf32>) -> tensor<2xf32> {
  %b = layer.binary add %a, %a then <relu> : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %c = layer.activate by <sigmoid> %b : (tensor<2xf32>) -> tensor<2xf32>
  return %c : tensor<2xf32>
}

// Not fused: pools and reductions of quantised integers take no function.
// CHECK-LABEL: func.func @pool
// CHECK: layer.activate
func.func @pool(%x: tensor<1x4x4x2xf32>) -> tensor<1x2x2x2xf32> {
  %p = layer.pool max %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x4x4x2xf32>) -> tensor<1x2x2x2xf32>
  %y = layer.activate by <relu> %p : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xf32>
  return %y : tensor<1x2x2x2xf32>
}

// CHECK-LABEL: func.func @reduction
// CHECK: layer.activate
func.func @reduction(%x: tensor<2x3xf32>) -> tensor<2x1xf32> {
  %p = layer.reduce sum %x {axes = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2x1xf32>
  %y = layer.activate by <sqrt> %p : (tensor<2x1xf32>) -> tensor<2x1xf32>
  return %y : tensor<2x1xf32>
}

// Not fused: the result of a comparison is a bool.
// CHECK-LABEL: func.func @comparison
// CHECK: layer.activate by <not>
func.func @comparison(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xi1> {
  %c = layer.binary less %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  %d = layer.activate by <not> %c : (tensor<2xi1>) -> tensor<2xi1>
  return %d : tensor<2xi1>
}

// Not fused: functions of integers, and conversions to another type.
// CHECK-LABEL: func.func @types
// CHECK: layer.activate by <abs> {{.*}}layer.not_fused = ["the epilogue of Add does not apply functions of integers"]
// CHECK: layer.activate %
// CHECK-NOT: layer.not_fused
func.func @types(%a: tensor<2xi32>, %b: tensor<2xf32>) -> (tensor<2xi32>, tensor<2xf16>) {
  %c = layer.binary add %a, %a : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %d = layer.activate by <abs> %c : (tensor<2xi32>) -> tensor<2xi32>
  %e = layer.binary add %b, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %f = layer.activate %e : (tensor<2xf32>) -> tensor<2xf16>
  return %d, %f : tensor<2xi32>, tensor<2xf16>
}

// Not fused: relu, because no layer computes its operand, an argument of the func; tanh, because the reshape
// before it has no arithmetic.
// CHECK-LABEL: func.func @movement
// CHECK: layer.activate by <relu> %arg0
// CHECK: layer.activate by <tanh>
func.func @movement(%a: tensor<2xf32>) -> tensor<1x2xf32> {
  %b = layer.activate by <relu> %a : (tensor<2xf32>) -> tensor<2xf32>
  %c = layer.reshape %b : (tensor<2xf32>) -> tensor<1x2xf32>
  %d = layer.activate by <tanh> %c : (tensor<1x2xf32>) -> tensor<1x2xf32>
  return %d : tensor<1x2xf32>
}
