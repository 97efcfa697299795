// Looking at passes while they run, with options in MLIR's words.

// The text before and after passes.
// RUN: tilerig-compile %s --from graph --emit layer -o %t.layer --mlir-print-ir-before=form-layers --mlir-print-ir-after=fuse-silu,fuse-biases 2>&1 | FileCheck %s --check-prefix=SOME
// SOME: IR Dump After {{.*}} (fuse-silu)
// SOME: graph.silu
// SOME: IR Dump Before {{.*}} (form-layers)
// SOME-NEXT: func.func @main
// SOME: IR Dump After {{.*}} (fuse-biases)
// SOME-NOT: IR Dump
// RUN: tilerig-compile %s --from graph --emit layer -o %t.layer --mlir-print-ir-before-all 2>&1 | FileCheck %s --check-prefix=BEFORE --implicit-check-not="IR Dump After"
// BEFORE: IR Dump Before {{.*}} (simplify-graph)
// BEFORE: IR Dump Before {{.*}} (place-layers)

// Large constants are elided.
// RUN: tilerig-compile %s --from graph --emit layer -o %t.layer --mlir-print-ir-after-all 2>&1 | FileCheck %s --check-prefix=ALL
// ALL: IR Dump After {{.*}} (fuse-gelu)
// ALL: graph.constant dense_resource<__elided__> : tensor<8x8xf32>
// ALL: IR Dump After {{.*}} (place-layers)

// Only after passes that change something, among all or among those that are named.
// RUN: tilerig-compile %s --from graph --emit layer -o %t.layer --mlir-print-ir-after-change 2>&1 | FileCheck %s --check-prefix=CHANGE
// CHANGE-NOT: (fuse-gelu)
// CHANGE: IR Dump After {{.*}} (fuse-silu)
// CHANGE-NOT: (fuse-gelu)
// RUN: tilerig-compile %s --from graph --emit layer -o %t.layer --mlir-print-ir-after=fuse-gelu,fuse-silu --mlir-print-ir-after-change 2>&1 | grep -c "IR Dump" | FileCheck %s --check-prefix=ONCE
// ONCE: {{^}}1{{$}}

// The same in files, with a folder for each phase.
// RUN: tilerig-compile %s --from graph --emit layer -o %t.layer --mlir-print-ir-after=fuse-silu,form-layers,place-layers --mlir-print-ir-tree-dir %t.tree 2>&1 | count 0
// RUN: FileCheck %s --check-prefix=FILE < %t.tree/1-graph/builtin_module_network/func_func_main/0_0_fuse-silu.mlir
// RUN: ls %t.tree/2-layers/builtin_module_network/func_func_main/0_0_form-layers.mlir
// RUN: ls %t.tree/4-places/builtin_module_network/func_func_main/0_0_place-layers.mlir
// FILE: graph.silu

// Times and statistics of all phases are one report each.
// RUN: tilerig-compile %s --from graph --precision fp32 --emit layer -o %t.layer --mlir-timing 2>&1 | FileCheck %s --check-prefix=TIME
// TIME: Execution time report
// TIME: read the model
// TIME: graph
// TIME: FuseSilu
// TIME: layers
// TIME: FormLayers
// TIME: precision
// TIME: DecidePrecision
// TIME: places
// TIME: PlaceLayers
// TIME: generate and write the result
// TIME: Total
// TIME-NOT: Execution time report
// RUN: tilerig-compile %s --from graph --precision fp32 --emit layer -o %t.layer --mlir-pass-statistics 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: Pass statistics report
// COUNT: fuse-silu
// COUNT-NEXT: (S) 2 runs
// COUNT-NEXT: (S) 1 Silu
// COUNT-NEXT: fuse-hard-swish
// COUNT: form-layers
// COUNT-NEXT: (S) 1 runs
// COUNT-NEXT: (S) 2 FormLayer
// COUNT: decide-precision
// COUNT-NEXT: (S) 1 runs
// COUNT-NEXT: (S) 1 fp32
// COUNT-NOT: Pass statistics report

// A failure leaves a module with its passes, from which tilerig-opt fails in the same way.
// RUN: not tilerig-compile %s --from graph --passes "func.func(test-nothing)" --emit layer -o %t.layer 2>&1 | FileCheck %s --check-prefix=NOPASS
// NOPASS: --passes: the pipeline cannot be parsed
// RUN: not tilerig-compile %s --from graph --passes "simplify-graph{without=nothing}" --emit graph -o %t.graph --mlir-pass-pipeline-crash-reproducer %t.crash.mlir 2>&1 | FileCheck %s --check-prefix=FAILURE
// FAILURE: there is no pass 'nothing' to leave out
// FAILURE-SAME: reproducer generated at `{{.*}}crash.mlir`
// RUN: not tilerig-opt --run-reproducer %t.crash.mlir 2>&1 | FileCheck %s --check-prefix=AGAIN
// AGAIN: error: there is no pass 'nothing' to leave out
// RUN: tilerig-compile %s --from graph --emit layer -o %t.layer --mlir-pass-pipeline-crash-reproducer %t.none.mlir
// RUN: not ls %t.none.mlir

// RUN: tilerig-compile %s --from graph --emit layer -o %t.each --verify-each
// RUN: cmp %t.layer %t.each

// RUN: not tilerig-compile %s --from graph --report --mlir-print-ir-after=fuse-sil 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: --mlir-print-ir-after: the pipeline has no pass 'fuse-sil'; did you mean 'fuse-silu'?

module @network {
  func.func @main(%x: tensor<8x8xf32> {graph.name = "x"}) -> (tensor<8x8xf32> {graph.name = "y"}) {
    %w = graph.constant dense<"0x0000803F0000004000004040000080400000A0400000C0400000E040000000410000803F0000004000004040000080400000A0400000C0400000E040000000410000803F0000004000004040000080400000A0400000C0400000E040000000410000803F0000004000004040000080400000A0400000C0400000E040000000410000803F0000004000004040000080400000A0400000C0400000E040000000410000803F0000004000004040000080400000A0400000C0400000E040000000410000803F0000004000004040000080400000A0400000C0400000E040000000410000803F0000004000004040000080400000A0400000C0400000E04000000041"> : tensor<8x8xf32>
    %p = graph.matmul %x, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %s = graph.sigmoid %p : tensor<8x8xf32>
    %y = graph.mul %p, %s : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    return %y : tensor<8x8xf32>
  }
}
