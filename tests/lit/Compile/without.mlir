// --without leaves out passes of the compiler.
// RUN: tilerig-compile %s --from graph --emit layer -o %t.all && FileCheck %s --check-prefix=ALL < %t.all
// RUN: tilerig-compile %s --from graph --without fuse-functions --emit layer -o %t.apart
// RUN: FileCheck %s --check-prefix=APART < %t.apart
// RUN: tilerig-compile %s --from graph --without fuse-functions,fold-shifts,fuse-biases --emit layer -o %t.both
// RUN: FileCheck %s --check-prefix=BOTH < %t.both

// ALL-NOT: layer.binary
// ALL: layer.matmul {{.*}}relu
// ALL-NOT: layer.activate
// APART: layer.matmul
// APART: layer.activate {{.*}}relu
// BOTH: layer.matmul
// BOTH: layer.binary {{.*}}add
// BOTH: layer.activate {{.*}}relu

// RUN: not tilerig-compile %s --from graph --without fuse-nothing --emit layer -o %t.no 2>&1 | FileCheck %s --check-prefix=NO
// NO: there is no pass 'fuse-nothing' to leave out
// RUN: not tilerig-compile %s --from graph --search 5 --emit cpp -o %t.no 2>&1 | FileCheck %s --check-prefix=SESSION
// SESSION: --search: this option cannot be used with --emit cpp: the C++ program compiles with a fixed strategy
// RUN: not tilerig-compile %t.all --from layer --without fuse-functions --report 2>&1 | FileCheck %s --check-prefix=LATE
// LATE: --without: this option changes the default pipeline of passes, but this command does not run that pipeline

module @network {
  func.func @main(%x: tensor<2x3xf32> {graph.name = "x"}) -> (tensor<2x2xf32> {graph.name = "y"}) {
    %w = graph.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
    %b = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %p = graph.matmul %x, %w : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
    %s = graph.add %p, %b : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
    %y = graph.relu %s : tensor<2x2xf32>
    return %y : tensor<2x2xf32>
  }
}
