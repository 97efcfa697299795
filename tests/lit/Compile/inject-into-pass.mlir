// --inject plants a bug in a pass, and every output shows what the pass then makes.
// RUN: tilerig-compile %s --from graph --emit layer -o %t.right && FileCheck %s --check-prefix=RIGHT < %t.right
// RUN: tilerig-compile %s --from graph --inject residual-dropped --emit layer -o %t.wrong | FileCheck %s --check-prefix=TOLD
// RUN: FileCheck %s --check-prefix=WRONG < %t.wrong
// RUN: tilerig-compile %s --from graph --inject residual-dropped --tiles 1 -o %t.trb --json > %t.json
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// RUN: tilerig inspect %t.trb | FileCheck %s --check-prefix=PROGRAM

// RIGHT: layer.matmul {{.*}}addend
// TOLD: injected: residual-dropped@
// WRONG-NOT: addend
// WRONG: layer.matmul
// JSON: "injected": "residual-dropped@
// PROGRAM: proof{{ +}}proved free of races by
// PROGRAM: injected{{ +}}residual-dropped@

// The pass must run, and the bug must be possible in what it rewrites.
// RUN: not tilerig-compile %s --from graph --inject residual-dropped --emit graph -o %t.no 2>&1 | FileCheck %s --check-prefix=EARLY
// RUN: not tilerig-compile %s --from graph --inject softmax-axis -o %t.no 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tilerig-compile %s --from graph --inject bias-missing --emit layer -o %t.no 2>&1 | FileCheck %s --check-prefix=PROGRAMS
// EARLY: residual-dropped: no pass rewrites an operation that can have this bug; only rewrites of fuse-addends can have it
// NONE: softmax-axis: no pass rewrites an operation that can have this bug; only rewrites of form-layers can have it
// PROGRAMS: --inject: this bug can only be injected into a program

module @network {
  func.func @main(%x: tensor<2x3xf32> {graph.name = "x"}, %r: tensor<2x2xf32> {graph.name = "r"}) -> (tensor<2x2xf32> {graph.name = "y"}) {
    %w = graph.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
    %p = graph.matmul %x, %w : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
    %s = graph.add %p, %r : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    return %s : tensor<2x2xf32>
  }
}
