// RUN: tilerig-opt %s -save-results=tensors=hidden,moved | FileCheck %s
// RUN: tilerig-opt %s -save-results=tensors=all | FileCheck %s --check-prefix=ALL
// RUN: not tilerig-opt %s -save-results=tensors=hiden 2>&1 | FileCheck %s --check-prefix=NEAR
// RUN: not tilerig-opt %s -save-results=tensors=x 2>&1 | FileCheck %s --check-prefix=INPUT
// RUN: not tilerig-opt %s -save-results=tensors=sum 2>&1 | FileCheck %s --check-prefix=INSIDE
// RUN: not tilerig-opt %s -save-results=tensors=elsewhere 2>&1 | FileCheck %s --check-prefix=NONE

// Saved results are outputs behind the others, in the model's order of axes; every layer keeps its uses.
// CHECK-LABEL: func.func @main
// CHECK-SAME: -> (tensor<1x6x6x4xf32> {graph.name = "result"}, tensor<1x6x6x4xf32> {graph.name = "hidden"}, tensor<1x4x6x6xf32> {graph.name = "moved"})
// CHECK: %[[H:.*]] = layer.activate by <relu> %arg0
// CHECK: %[[M:.*]] = layer.activate by <tanh> %[[H]]
// CHECK: %[[R:.*]] = layer.activate by <sigmoid> %[[M]]
// CHECK: %[[T:.*]] = layer.transpose %[[M]]
// CHECK: return %[[R]], %[[H]], %[[T]]

// A result that is an output already is not saved twice.
// ALL: -> (tensor<1x6x6x4xf32> {graph.name = "result"}, tensor<1x6x6x4xf32> {graph.name = "hidden"}, tensor<1x4x6x6xf32> {graph.name = "moved"})

// NEAR: no layer has the result 'hiden' with a size that is known when compiling; did you mean 'hidden'?
// NONE: no layer has the result 'elsewhere' with a size that is known when compiling; '--save all' saves all that can be saved
// INPUT: no layer has the result 'x' {{.*}}; it is an input of the network
// INSIDE: no layer has the result 'sum' {{.*}}; it is computed inside of a layer and never stored; the result of this layer is 'moved'
func.func @main(%x: tensor<1x6x6x4xf32> {graph.name = "x"}) -> (tensor<1x6x6x4xf32> {graph.name = "result"}) {
  %h = layer.activate by <relu> %x : (tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32> loc("first"("hidden"))
  %m = layer.activate by <tanh> %h : (tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32> loc(fused["add"("sum"), "second"(fused<#graph.order<[0, 3, 1, 2]>>["moved"])])
  %r = layer.activate by <sigmoid> %m : (tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32> loc("third"("result"))
  return %r : tensor<1x6x6x4xf32>
}
