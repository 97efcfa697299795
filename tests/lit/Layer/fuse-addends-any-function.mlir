// In models without 8-bit layers, a product may have an addend and any function.
// RUN: tilerig-opt %s -pass-pipeline="builtin.module(func.func(fuse-addends{any-function}))" | FileCheck %s

// CHECK-LABEL: func.func @floats
// CHECK: layer.matmul %arg0, %arg1 addend %arg2 then <tanh> :
// CHECK: layer.matmul %arg0, %arg1 addend %arg2 then <tanh> {functionFirst} :
// CHECK-NOT: layer.binary
func.func @floats(%a: tensor<2x3xf32>, %b: tensor<5x3xf32>, %r: tensor<2x5xf32>) -> (tensor<2x5xf32>, tensor<2x5xf32>) {
  %p = layer.matmul %a, %b : (tensor<2x3xf32>, tensor<5x3xf32>) -> tensor<2x5xf32>
  %y = layer.binary add %p, %r then <tanh> : (tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<2x5xf32>
  %q = layer.matmul %a, %b then <tanh> : (tensor<2x3xf32>, tensor<5x3xf32>) -> tensor<2x5xf32>
  %z = layer.binary add %q, %r : (tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<2x5xf32>
  return %y, %z : tensor<2x5xf32>, tensor<2x5xf32>
}

// Integers have no scale for the argument of a function.
// CHECK-LABEL: func.func @integers
// CHECK: layer.binary add {{.*}} then <tanh> {layer.not_fused = ["with an addend, the epilogue of MatMul can apply only functions that clamp"]}
func.func @integers(%a: tensor<2x3x!quant.uniform<i8:f32, 0.5>>, %b: tensor<5x3x!quant.uniform<i8:f32, 0.5>>, %r: tensor<2x5x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x5x!quant.uniform<i8:f32, 0.5>> {
  %p = layer.matmul %a, %b : (tensor<2x3x!quant.uniform<i8:f32, 0.5>>, tensor<5x3x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x5x!quant.uniform<i8:f32, 0.5>>
  %y = layer.binary add %p, %r then <tanh> : (tensor<2x5x!quant.uniform<i8:f32, 0.5>>, tensor<2x5x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x5x!quant.uniform<i8:f32, 0.5>>
  return %y : tensor<2x5x!quant.uniform<i8:f32, 0.5>>
}
