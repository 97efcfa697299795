// RUN: tilerig-opt %s | tilerig-opt | FileCheck %s

// A dimension that depends on values is dynamic; an optional operand in the middle is absent.
// CHECK-LABEL: func.func @places
// CHECK: graph.opaque "" 21 "NonZero"(%{{.*}}) {} present [true]
// CHECK-SAME: -> tensor<2x?xi64>
// CHECK: graph.opaque "com.example" 3 "Fly"(%{{.*}}, %{{.*}}) {height = 7 : i64} present [true, false, true]
func.func @places(%x: tensor<3x4xf32>) -> tensor<5xf32> {
  %p = graph.opaque "" 21 "NonZero"(%x) {} present [true] : (tensor<3x4xf32>) -> tensor<2x?xi64>
  %y = graph.opaque "com.example" 3 "Fly"(%x, %p) {height = 7 : i64} present [true, false, true] : (tensor<3x4xf32>, tensor<2x?xi64>) -> tensor<5xf32>
  return %y : tensor<5xf32>
}

// The body of a loop, and the tensor of the graph around it that the body reads.
// CHECK-LABEL: func.func @loop
// CHECK: graph.opaque "" 21 "Loop"(%{{.*}}, %{{.*}}, %{{.*}}) {body = #graph.body<["w"], "name: \22b\22 {{.*}}">} present [true, false, true]
func.func @loop(%n: tensor<i64>, %x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %y = graph.opaque "" 21 "Loop"(%n, %x, %w) {body = #graph.body<["w"], "name: \22b\22 node { input: \22w\22 }">} present [true, false, true] : (tensor<i64>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
