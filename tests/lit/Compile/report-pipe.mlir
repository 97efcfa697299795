// --report-to writes to a pipe. The test whether the file is writable must neither wait for a reader nor
// close the reader's input.
// RUN: rm -f %t.pipe %t.csv
// RUN: mkfifo %t.pipe
// RUN: bash -c 'timeout 60 cat %t.pipe >%t.csv & timeout 60 tilerig-compile %s --from graph --tiles 2 -o %t.trb --report-to %t.pipe && wait'
// RUN: FileCheck %s < %t.csv
// CHECK: cycles
module @network {
  func.func @main(%x: tensor<2x3xf32> {graph.name = "x"}) -> (tensor<2x3xf32> {graph.name = "y"}) {
    %y = graph.relu %x : tensor<2x3xf32>
    return %y : tensor<2x3xf32>
  }
}
