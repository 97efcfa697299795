// RUN: tilerig-opt %s | tilerig-opt | FileCheck %s

// CHECK-LABEL: func.func @batches
// CHECK: graph.einsum %{{.*}}, %{{.*}} {equation = "...ij,...jk->...ik"} : (tensor<2x3x4xf32>, tensor<4x5xf32>) -> tensor<2x3x5xf32>
func.func @batches(%a: tensor<2x3x4xf32>, %b: tensor<4x5xf32>) -> tensor<2x3x5xf32> {
  %y = graph.einsum %a, %b {equation = "...ij,...jk->...ik"} : (tensor<2x3x4xf32>, tensor<4x5xf32>) -> tensor<2x3x5xf32>
  return %y : tensor<2x3x5xf32>
}

// A letter twice in one operand takes the diagonal.
// CHECK-LABEL: func.func @diagonal
// CHECK: graph.einsum %{{.*}} {equation = "bii->bi"} : (tensor<2x3x3xf32>) -> tensor<2x3xf32>
func.func @diagonal(%a: tensor<2x3x3xf32>) -> tensor<2x3xf32> {
  %y = graph.einsum %a {equation = "bii->bi"} : (tensor<2x3x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
