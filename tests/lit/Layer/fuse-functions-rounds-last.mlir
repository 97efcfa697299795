// RUN: tilerig-opt %s -fuse-functions | FileCheck %s --check-prefix=FUSED
// RUN: tilerig-opt %s -fuse-functions="rounds-last" | FileCheck %s

// Functions whose results leave the device, perhaps in another shape, stay layers of their own; those that
// only clamp, those of results that other layers read, and those of other layers than products do not.
// FUSED-LABEL: func.func @last
// FUSED: layer.matmul %arg0, %arg0 then <tanh>
// FUSED: layer.matmul {{.*}} then <sigmoid>
// CHECK-LABEL: func.func @last
// CHECK: layer.matmul %arg0, %arg0 then <tanh>
// CHECK: layer.matmul %{{[0-9]+}}, %arg0 :
// CHECK: layer.activate by <sigmoid>
// CHECK: layer.matmul %{{[0-9]+}}, %{{[0-9]+}} then <relu>
// CHECK: layer.binary mul {{.*}} then <exp>
func.func @last(%a: tensor<2x2xf32>) -> (tensor<4xf32>, tensor<2x2xf32>, tensor<2x2xf32>) {
  %p = layer.matmul %a, %a : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %t = layer.activate by <tanh> %p : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %q = layer.matmul %t, %a : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %s = layer.activate by <sigmoid> %q : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %o = layer.reshape %s : (tensor<2x2xf32>) -> tensor<4xf32>
  %m = layer.matmul %t, %t : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %r = layer.activate by <relu> %m : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %b = layer.binary mul %t, %t : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %e = layer.activate by <exp> %b : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %o, %r, %e : tensor<4xf32>, tensor<2x2xf32>, tensor<2x2xf32>
}
