// RUN: tilerig-opt %s -remove-no-ops -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @movement
// CHECK-NEXT: return %arg0
func.func @movement(%x: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %0 = graph.cast %x : (tensor<2x6xf32>) -> tensor<2x6xf32>
  %1 = graph.expand %0 : (tensor<2x6xf32>) -> tensor<2x6xf32>
  %2 = graph.pad %1 {pads = array<i64: 0, 0, 0, 0>, mode = 1 : i32} : (tensor<2x6xf32>) -> tensor<2x6xf32>
  %3 = graph.slice %2 {starts = array<i64: 0, 0>, ends = array<i64: 2, 6>, steps = array<i64: 1, 1>}
    : (tensor<2x6xf32>) -> tensor<2x6xf32>
  %4 = graph.concat %3 {axis = 1 : i64} : (tensor<2x6xf32>) -> tensor<2x6xf32>
  %5 = graph.tile %4 {repeats = array<i64: 1, 1>} : (tensor<2x6xf32>) -> tensor<2x6xf32>
  %6 = graph.clip %5 : tensor<2x6xf32>
  %7 = graph.reshape %6 : (tensor<2x6xf32>) -> tensor<12xf32>
  %8 = graph.reshape %7 : (tensor<12xf32>) -> tensor<2x6xf32>
  return %8 : tensor<2x6xf32>
}

// Not removed: the shape is unchanged, but elements are reversed, or cut on one side and padded on the other.
// CHECK-LABEL: func.func @moved
// CHECK: graph.slice
// CHECK: graph.pad
func.func @moved(%x: tensor<2x6xf32>) -> (tensor<2x6xf32>, tensor<2x6xf32>) {
  %0 = graph.slice %x {starts = array<i64: 0, 5>, ends = array<i64: 2, -1>, steps = array<i64: 1, -1>}
    : (tensor<2x6xf32>) -> tensor<2x6xf32>
  %1 = graph.pad %x {pads = array<i64: 0, 1, 0, -1>, mode = 0 : i32} : (tensor<2x6xf32>) -> tensor<2x6xf32>
  return %0, %1 : tensor<2x6xf32>, tensor<2x6xf32>
}

// CHECK-LABEL: func.func @arithmetic
// CHECK-NEXT: return %arg0, %arg1
func.func @arithmetic(%x: tensor<2xf32>, %i: tensor<2xi32>) -> (tensor<2xf32>, tensor<2xi32>) {
  %one = graph.constant dense<1.0> : tensor<f32>
  %zero = graph.constant dense<0.0> : tensor<2xf32>
  %minus = graph.constant dense<-0.0> : tensor<1xf32>
  %none = graph.constant dense<0> : tensor<i32>
  %0 = graph.mul %one, %x : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = graph.div %0, %one : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %2 = graph.sub %1, %zero : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %3 = graph.add %2, %minus : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
  %4 = graph.add %none, %i : (tensor<i32>, tensor<2xi32>) -> tensor<2xi32>
  return %3, %4 : tensor<2xf32>, tensor<2xi32>
}

// Not removed: -0 + 0 is 0, -0 - -0 is 0, 0 - x is not x, and multiplication by ones broadcasts x to a larger
// shape.
// CHECK-LABEL: func.func @changing
// CHECK: graph.add
// CHECK: graph.sub
// CHECK: graph.sub
// CHECK: graph.mul
func.func @changing(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<3x2xf32>) {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %minus = graph.constant dense<-0.0> : tensor<f32>
  %ones = graph.constant dense<1.0> : tensor<3x1xf32>
  %0 = graph.add %x, %zero : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = graph.sub %x, %minus : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %2 = graph.sub %zero, %x : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  %3 = graph.mul %x, %ones : (tensor<2xf32>, tensor<3x1xf32>) -> tensor<3x2xf32>
  return %0, %1, %2, %3 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<3x2xf32>
}

// CHECK-LABEL: func.func @clamps
// CHECK-DAG: %[[ZERO:.*]] = graph.constant dense<0.000000e+00> : tensor<f32>
// CHECK-DAG: %[[SIX:.*]] = graph.constant dense<6.000000e+00> : tensor<f32>
// CHECK: %[[CLIP:.*]] = graph.clip %arg0 low %[[ZERO]] : tensor<f32> high %[[SIX]] : tensor<f32> : tensor<2xf32>
// CHECK-NEXT: %[[RELU:.*]] = graph.relu %arg0
// CHECK-NEXT: return %[[CLIP]], %[[RELU]]
func.func @clamps(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %six = graph.constant dense<6.0> : tensor<f32>
  %zero = graph.constant dense<0.0> : tensor<f32>
  %r = graph.relu %x : tensor<2xf32>
  %c = graph.clip %r high %six : tensor<f32> : tensor<2xf32>
  %y = graph.relu %c : tensor<2xf32>
  %s = graph.clip %x low %zero : tensor<f32> : tensor<2xf32>
  %z = graph.relu %s : tensor<2xf32>
  return %y, %z : tensor<2xf32>, tensor<2xf32>
}

// Not removed: a lower bound above zero, a lower bound below zero, and a relu with another reader.
// CHECK-LABEL: func.func @bounds
// CHECK: graph.relu
// CHECK: graph.clip
// CHECK: graph.clip
// CHECK: graph.relu
func.func @bounds(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %one = graph.constant dense<1.0> : tensor<f32>
  %minus = graph.constant dense<-1.0> : tensor<f32>
  %r = graph.relu %x : tensor<2xf32>
  %c = graph.clip %r low %one : tensor<f32> : tensor<2xf32>
  %d = graph.clip %x low %minus : tensor<f32> : tensor<2xf32>
  %y = graph.relu %d : tensor<2xf32>
  return %r, %c, %y : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
