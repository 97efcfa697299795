// RUN: tilerig-opt %s -fuse-hard-swish -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @divided
// CHECK-NEXT: graph.hard_swish %arg0
func.func @divided(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %three = graph.constant dense<3.0> : tensor<f32>
  %six = graph.constant dense<6.0> : tensor<f32>
  %s = graph.add %x, %three : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %c = graph.clip %s low %zero : tensor<f32> high %six : tensor<f32> : tensor<4xf32>
  %p = graph.mul %x, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y = graph.div %p, %six : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @gated
// CHECK-NEXT: graph.hard_swish %arg0
func.func @gated(%x: tensor<4xf32>) -> tensor<4xf32> {
  %g = graph.hard_sigmoid %x {alpha = 0.16666667 : f32, beta = 0.5 : f32} : tensor<4xf32>
  %y = graph.mul %g, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// Not fused: the default slope of ONNX's HardSigmoid is 0.2, and HardSwish needs 1/6.
// CHECK-LABEL: func.func @slope
// CHECK: graph.hard_sigmoid
func.func @slope(%x: tensor<4xf32>) -> tensor<4xf32> {
  %g = graph.hard_sigmoid %x {alpha = 0.2 : f32, beta = 0.5 : f32} : tensor<4xf32>
  %y = graph.mul %g, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
