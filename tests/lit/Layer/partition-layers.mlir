// RUN: tilerig-opt %s -partition-layers | FileCheck %s
// RUN: tilerig-opt %s -partition-layers > %t && tilerig-opt %t -partition-layers | diff %t -

// Two host operators with independent accelerator layers between them share one host region.
// CHECK-LABEL: func.func @two_hosts
// CHECK: layer.activate by <relu> %arg0 {layer.region = 0 : i64}
// CHECK: layer.activate by <tanh> %arg0 {layer.region = 0 : i64}
// CHECK: layer.host "NonZero"{{.*}}{layer.region = 1 : i64}
// CHECK: layer.host "NonZero"{{.*}}{layer.region = 1 : i64}
// CHECK: layer.concat {{.*}}layer.region = 2 : i64
func.func @two_hosts(%x: tensor<2x3xf32>) -> tensor<4x6xi64> {
  %a = layer.activate by <relu> %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %b = layer.host "NonZero"(%a) {} present [true] : (tensor<2x3xf32>) -> tensor<2x6xi64>
  %c = layer.activate by <tanh> %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %d = layer.host "NonZero"(%c) {} present [true] : (tensor<2x3xf32>) -> tensor<2x6xi64>
  %e = layer.concat %b, %d {axis = 0 : i64} : (tensor<2x6xi64>, tensor<2x6xi64>) -> tensor<4x6xi64>
  return %e : tensor<4x6xi64>
}

// Starting with a host region saves a region: the accelerator layer is moved behind it.
// CHECK-LABEL: func.func @host_first
// CHECK: layer.host {{.*}}layer.region = 0 : i64
// CHECK: layer.activate {{.*}}layer.region = 1 : i64
// CHECK: layer.transpose {{.*}}layer.region = 1 : i64
func.func @host_first(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<6x2xi64>) {
  %a = layer.activate by <relu> %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %b = layer.host "NonZero"(%x) {} present [true] : (tensor<2x3xf32>) -> tensor<2x6xi64>
  %c = layer.transpose %b {perm = array<i64: 1, 0>} : (tensor<2x6xi64>) -> tensor<6x2xi64>
  return %a, %c : tensor<2x3xf32>, tensor<6x2xi64>
}

// A network without layers has no regions.
// CHECK-LABEL: func.func @nothing
// CHECK-NEXT: return %arg0
func.func @nothing(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
