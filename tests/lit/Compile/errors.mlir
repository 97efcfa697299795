// RUN: split-file %s %t

// RUN: not tilerig-compile %t/broken.mlir --from graph --emit graph -o %t.out 2>&1 | FileCheck %s --check-prefix=BROKEN
// BROKEN: broken.mlir: 2:8: custom op 'graph.nothing' is unknown
// RUN: not tilerig-compile %t/broken.mlir --from layer --report 2>&1 | FileCheck %s --check-prefix=BROKEN

// RUN: not tilerig-compile %t/graph.mlir --from layer --report 2>&1 | FileCheck %s --check-prefix=LEVEL
// LEVEL: graph.mlir: operation 'graph.relu' does not belong to level layer; check that --from names the level of the text

// RUN: not tilerig-compile %t/other.mlir --from graph --report 2>&1 | FileCheck %s --check-prefix=MAIN
// RUN: not tilerig-compile %t/two.mlir --from graph --report 2>&1 | FileCheck %s --check-prefix=MAIN
// RUN: not tilerig-compile %t/empty.mlir --from graph --report 2>&1 | FileCheck %s --check-prefix=MAIN
// MAIN: the module does not consist of exactly one function, named 'main'

// RUN: not tilerig-compile %t/declared.mlir --from graph --report 2>&1 | FileCheck %s --check-prefix=BODY
// BODY: the function 'main' must have a body of exactly one block

// RUN: not tilerig-compile %t/open.mlir --from graph --report 2>&1 | FileCheck %s --check-prefix=OPEN
// OPEN: an argument or a result of the function 'main' is not a tensor of static shape

// RUN: not tilerig-compile %t/missing.mlir --from layer --report 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: resource 'weights' has no data in the text

// RUN: not tilerig-compile %t/short.mlir --from layer --report 2>&1 | FileCheck %s --check-prefix=SHORT
// SHORT: resource 'weights' has 4 bytes, but the type of its constant needs 8

// RUN: not tilerig-compile %t/nowhere.mlir --from layer --report 2>&1 | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: nowhere.mlir: {{.*}}No such file

// RUN: not tilerig-compile %t/layer.mlir --from layer --emit graph -o %t.out 2>&1 | FileCheck %s --check-prefix=BACK
// BACK: layers cannot be converted back to a graph

// RUN: not tilerig-compile %t/graph.mlir --from graph --emit graph 2>&1 | FileCheck %s --check-prefix=OUTPUT
// RUN: not tilerig-compile %t/graph.mlir --from graph --emit layer -o %t.out --tiles 4 2>&1 | FileCheck %s --check-prefix=PROGRAMS
// RUN: not tilerig-compile %t/graph.mlir --from graph --emit layer -o %t.out --strategy-to %t.json 2>&1 | FileCheck %s --check-prefix=PROGRAMS
// RUN: not tilerig-compile %t/graph.mlir --from graph --report --report-to %t.csv 2>&1 | FileCheck %s --check-prefix=PROGRAMS
// PROGRAMS: this option has an effect only on programs, but this command writes none
// OUTPUT: --emit: no output file is given; add -o FILE

// Standard output is /dev/stdout in all commands, and - is refused, before the model is read.
// RUN: not tilerig-compile %t/nowhere.mlir --from graph -o - 2>&1 | FileCheck %s --check-prefix=DASH
// DASH: -: does not stand for standard output; write to /dev/stdout, or to ./- for a file of this name
// RUN: tilerig-compile %t/graph.mlir --from graph --emit graph -o /dev/stdout | FileCheck %s --check-prefix=STDOUT
// STDOUT: func.func @main

// RUN: not tilerig-compile %t/graph.mlir --from graph 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: no output is requested

// RUN: not tilerig-compile %t/graph.mlir --from graph --emit graph -o %t.out --report 2>&1 | FileCheck %s --check-prefix=REPORT
// REPORT: this option lists layers, but this command stops before layers are formed

// RUN: not tilerig-compile %t/graph.mlir --from graph --report --machine nowhere 2>&1 | FileCheck %s --check-prefix=MACHINE
// MACHINE: nowhere

// RUN: not tilerig-compile %t/graph.mlir --from graph -o %t.trb --report-to %t/nowhere/layers.csv 2>&1 | FileCheck %s --check-prefix=TABLE
// TABLE: nowhere/layers.csv: the folder {{.*}} does not exist

// RUN: not tilerig-compile %t/graph.mlir --from graph --emit layer --onnx-form qdq -o %t.out 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not tilerig-compile %t/graph.mlir --from graph --report --onnx-form exact 2>&1 | FileCheck %s --check-prefix=FORM
// FORM: --onnx-form: this option selects the form of the ONNX model that --emit onnx writes, but this command writes none; use --emit onnx
// RUN: not tilerig-compile %t/graph.mlir --from graph --emit onnx --onnx-form plain -o %t.out 2>&1 | FileCheck %s --check-prefix=PLAIN
// PLAIN: plain

//--- broken.mlir
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = graph.nothing %x : tensor<2xf32>
  return %y : tensor<2xf32>
}
//--- graph.mlir
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = graph.relu %x : tensor<2xf32>
  return %y : tensor<2xf32>
}
//--- layer.mlir
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = layer.activate by <relu> %x : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}
//--- other.mlir
func.func @other(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
//--- two.mlir
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func @other(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
//--- empty.mlir
module {
}
//--- declared.mlir
func.func private @main(tensor<2xf32>) -> tensor<2xf32>
//--- open.mlir
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
//--- missing.mlir
func.func @main() -> tensor<2xf32> {
  %w = layer.constant dense_resource<weights> : tensor<2xf32> as tensor<2xf32>
  return %w : tensor<2xf32>
}
//--- short.mlir
func.func @main() -> tensor<2xf32> {
  %w = layer.constant dense_resource<weights> : tensor<2xf32> as tensor<2xf32>
  return %w : tensor<2xf32>
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x040000000000803F"
    }
  }
#-}
