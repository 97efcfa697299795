// tilerig-opt cases.mlir --load-pass-plugin=./fuse-tanh-gelu.so --pass-pipeline="builtin.module(func.func(fuse-tanh-gelu))" | FileCheck cases.mlir

// As PyTorch exports it.
// CHECK-LABEL: func.func @pytorch
// CHECK-NEXT: %[[Y:.*]] = graph.gelu %arg0 {tanh}
// CHECK-NEXT: return %[[Y]]
func.func @pytorch(%x: tensor<4xf32>) -> tensor<4xf32> {
  %half = graph.constant dense<0.5> : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %scale = graph.constant dense<0.797884583> : tensor<f32>
  %cubic = graph.constant dense<0.044715> : tensor<f32>
  %three = graph.constant dense<3.0> : tensor<f32>
  %p = graph.pow %x, %three : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %k = graph.mul %p, %cubic : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %s = graph.add %x, %k : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %z = graph.mul %s, %scale : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %t = graph.tanh %z : tensor<4xf32>
  %g = graph.add %t, %one : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %h = graph.mul %x, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %y = graph.mul %h, %g : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// The variant "fast" of Hugging Face: the cube is x * x, multiplied by another x outside.
// CHECK-LABEL: func.func @fast
// CHECK-NEXT: %[[Y:.*]] = graph.gelu %arg0 {tanh}
// CHECK-NEXT: return %[[Y]]
func.func @fast(%x: tensor<4xf32>) -> tensor<4xf32> {
  %half = graph.constant dense<0.5> : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %scale = graph.constant dense<0.797884583> : tensor<f32>
  %cubic = graph.constant dense<0.044715> : tensor<f32>
  %c = graph.mul %x, %scale : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %k = graph.mul %x, %cubic : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %q = graph.mul %k, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %s = graph.add %one, %q : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %z = graph.mul %c, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %t = graph.tanh %z : tensor<4xf32>
  %g = graph.add %one, %t : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %m = graph.mul %x, %g : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y = graph.mul %m, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// x is itself a sum.
// CHECK-LABEL: func.func @after_bias
// CHECK-NEXT: %[[X:.*]] = graph.add %arg0, %arg1
// CHECK-NEXT: graph.gelu %[[X]] {tanh}
func.func @after_bias(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %half = graph.constant dense<0.5> : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %scale = graph.constant dense<0.797884583> : tensor<f32>
  %cubic = graph.constant dense<0.044715> : tensor<f32>
  %x = graph.add %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %c = graph.mul %x, %scale : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %k = graph.mul %x, %cubic : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %q = graph.mul %k, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %s = graph.add %one, %q : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %z = graph.mul %c, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %t = graph.tanh %z : tensor<4xf32>
  %g = graph.add %one, %t : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %m = graph.mul %x, %g : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y = graph.mul %m, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// Not fused: another coefficient. The option `tolerance` permits it.
// CHECK-LABEL: func.func @other_coefficient
// CHECK: graph.tanh
// TOLERANT-LABEL: func.func @other_coefficient
// TOLERANT-NEXT: graph.gelu %arg0 {tanh}
func.func @other_coefficient(%x: tensor<4xf32>) -> tensor<4xf32> {
  %half = graph.constant dense<0.5> : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %scale = graph.constant dense<0.797884583> : tensor<f32>
  %cubic = graph.constant dense<0.0447> : tensor<f32>
  %c = graph.mul %x, %scale : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %k = graph.mul %x, %cubic : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %q = graph.mul %k, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %s = graph.add %one, %q : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %z = graph.mul %c, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %t = graph.tanh %z : tensor<4xf32>
  %g = graph.add %one, %t : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %m = graph.mul %x, %g : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y = graph.mul %m, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// Not fused: the function tanh has another reader.
// CHECK-LABEL: func.func @read_twice
// CHECK: graph.tanh
func.func @read_twice(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %half = graph.constant dense<0.5> : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %scale = graph.constant dense<0.797884583> : tensor<f32>
  %cubic = graph.constant dense<0.044715> : tensor<f32>
  %c = graph.mul %x, %scale : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %k = graph.mul %x, %cubic : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %q = graph.mul %k, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %s = graph.add %one, %q : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %z = graph.mul %c, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %t = graph.tanh %z : tensor<4xf32>
  %g = graph.add %one, %t : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  %m = graph.mul %x, %g : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %y = graph.mul %m, %half : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %y, %t : tensor<4xf32>, tensor<4xf32>
}
