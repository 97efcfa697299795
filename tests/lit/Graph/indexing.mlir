// RUN: tilerig-opt %s | tilerig-opt | FileCheck %s

// Each pair of indices selects a row of four elements.
// CHECK-LABEL: func.func @tuples
// CHECK: graph.gather_nd %{{.*}}, %{{.*}} {batchDims = 0 : i64} : (tensor<2x3x4xf32>, tensor<5x2xi64>) -> tensor<5x4xf32>
// CHECK: graph.gather_nd %{{.*}}, %{{.*}} {batchDims = 1 : i64} : (tensor<2x3x4xf32>, tensor<2x1xi64>) -> tensor<2x4xf32>
// CHECK: graph.scatter_nd %{{.*}}, %{{.*}}, %{{.*}} {reduction = 1 : i32}
func.func @tuples(%x: tensor<2x3x4xf32>, %i: tensor<5x2xi64>, %j: tensor<2x1xi64>, %u: tensor<5x4xf32>) -> (tensor<5x4xf32>, tensor<2x4xf32>, tensor<2x3x4xf32>) {
  %a = graph.gather_nd %x, %i {batchDims = 0 : i64} : (tensor<2x3x4xf32>, tensor<5x2xi64>) -> tensor<5x4xf32>
  %b = graph.gather_nd %x, %j {batchDims = 1 : i64} : (tensor<2x3x4xf32>, tensor<2x1xi64>) -> tensor<2x4xf32>
  %c = graph.scatter_nd %x, %i, %u {reduction = 1 : i32} : (tensor<2x3x4xf32>, tensor<5x2xi64>, tensor<5x4xf32>) -> tensor<2x3x4xf32>
  return %a, %b, %c : tensor<5x4xf32>, tensor<2x4xf32>, tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @elements
// CHECK: graph.gather_elements
// CHECK: graph.scatter_elements
func.func @elements(%x: tensor<3x4xf32>, %i: tensor<2x4xi32>, %u: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<3x4xf32>) {
  %a = graph.gather_elements %x, %i {axis = 0 : i64} : (tensor<3x4xf32>, tensor<2x4xi32>) -> tensor<2x4xf32>
  %b = graph.scatter_elements %x, %i, %u {axis = 0 : i64, reduction = 0 : i32} : (tensor<3x4xf32>, tensor<2x4xi32>, tensor<2x4xf32>) -> tensor<3x4xf32>
  return %a, %b : tensor<2x4xf32>, tensor<3x4xf32>
}

// CHECK-LABEL: func.func @others
// CHECK: graph.one_hot %{{.*}}, %{{.*}} {axis = 1 : i64, depth = 10 : i64} : (tensor<3x4xi64>, tensor<2xf32>) -> tensor<3x10x4xf32>
// CHECK: graph.top_k %{{.*}} {axis = 1 : i64, isSorted, k = 2 : i64, largest} : (tensor<3x4xf32>) -> (tensor<3x2xf32>, tensor<3x2xi64>)
// CHECK: graph.cum_sum
// CHECK: graph.trilu %{{.*}} {diagonal = -1 : i64, upper}
// CHECK: graph.reverse_sequence
func.func @others(%i: tensor<3x4xi64>, %v: tensor<2xf32>, %x: tensor<3x4xf32>, %l: tensor<4xi64>) -> tensor<3x4xf32> {
  %a = graph.one_hot %i, %v {axis = 1 : i64, depth = 10 : i64} : (tensor<3x4xi64>, tensor<2xf32>) -> tensor<3x10x4xf32>
  %b, %c = graph.top_k %x {axis = 1 : i64, k = 2 : i64, largest, isSorted} : (tensor<3x4xf32>) -> (tensor<3x2xf32>, tensor<3x2xi64>)
  %d = graph.cum_sum %x {axis = 0 : i64, reverse} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %e = graph.trilu %d {diagonal = -1 : i64, upper} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %f = graph.reverse_sequence %e, %l {timeAxis = 0 : i64, batchAxis = 1 : i64} : (tensor<3x4xf32>, tensor<4xi64>) -> tensor<3x4xf32>
  return %f : tensor<3x4xf32>
}
