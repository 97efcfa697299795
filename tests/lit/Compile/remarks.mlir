// --remarks prints what passes report about their decisions: kind, pass, node, text.
// RUN: tilerig-compile %s --from graph --emit layer -o %t.layer --remarks applied,missed,analysis 2>&1 | FileCheck %s
// RUN: tilerig-compile %s --from graph --emit layer -o %t.layer --remarks missed 2>&1 | FileCheck %s --check-prefix=MISSED
// RUN: tilerig-compile %s --from graph --emit layer -o %t.layer --remarks applied --remarks-filter 'form-.*' 2>&1 | FileCheck %s --check-prefix=FORM --implicit-check-not=fuse-
// RUN: tilerig-compile %s --from graph --precision fp16 --emit layer -o %t.layer --remarks analysis 2>&1 | FileCheck %s --check-prefix=PRECISION

// CHECK-DAG: applied: fuse-silu: node 'product': graph.mul becomes graph.silu, which computes sigmoid, product
// CHECK-DAG: applied: form-layers: node 'first': graph.matmul becomes layer.matmul
// CHECK-DAG: applied: fuse-functions: node 'relu': layer.activate is merged into layer.matmul, which computes second, relu
// CHECK-DAG: missed: fuse-addends: node 'sum': Add stays a layer of its own: the result of MatMul has 1 other readers
// CHECK-DAG: analysis: place-layers: node 'sorted': TopK runs on the host: the accelerator has no layer for TopK, and the host has a kernel

// MISSED: missed: fuse-functions: node 'product': Activation stays a layer of its own: the epilogue of MatMul already applies relu
// MISSED-NEXT: missed: fuse-addends: node 'sum'
// MISSED-NOT: {{^(applied|missed|analysis):}}

// FORM: applied: form-layers
// PRECISION-DAG: analysis: decide-precision: node 'first': MatMul is computed in fp16

// The report quotes the reason that the pass has recorded.
// RUN: tilerig-compile %s --from graph --json | FileCheck %s --check-prefix=JSON
// JSON: "reason": "the result of MatMul has 1 other readers",
// JSON-NEXT: "what": "not fused"

// RUN: not tilerig-compile %s --from graph --report --remarks all 2>&1 | FileCheck %s --check-prefix=KIND
// KIND: --remarks: all not in {applied,missed,analysis}
// RUN: not tilerig-compile %s --from graph --report --remarks missed --remarks-filter '[' 2>&1 | FileCheck %s --check-prefix=REGEX
// REGEX: --remarks-filter: the text is not a regular expression: brackets ([ ]) not balanced; write a pattern for names of passes, such as 'fuse-.*'

module @network {
  func.func @main(%x: tensor<2x4xf32> {graph.name = "x"}) -> (tensor<2x4xf32> {graph.name = "y"}, tensor<2x4xf32> {graph.name = "z"}, tensor<2x2xf32> {graph.name = "t"}) {
    %w = graph.constant dense<0.5> : tensor<4x4xf32>
    %p = graph.matmul %x, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32> loc("first")
    %s = graph.add %p, %x : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32> loc("sum")
    %q = graph.matmul %p, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32> loc("second")
    %r = graph.relu %q : tensor<2x4xf32> loc("relu")
    %g = graph.sigmoid %r : tensor<2x4xf32> loc("sigmoid")
    %y = graph.mul %r, %g : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32> loc("product")
    %v, %i = graph.top_k %y {axis = 1 : i64, k = 2 : i64, largest, isSorted} : (tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xi64>) loc("sorted")
    return %s, %y, %v : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x2xf32>
  }
}
