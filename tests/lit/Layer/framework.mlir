// Operations that neither the accelerator nor the host can run become parts of the model for the framework. Small
// constants are part of the part.
// RUN: tilerig-opt %s -form-layers | FileCheck %s
// RUN: not tilerig-opt %s -form-layers=only=host 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: not tilerig-opt %s -form-layers=only=accelerator 2>&1 | FileCheck %s --check-prefix=ACCELERATOR
// RUN: tilerig-compile %s --from graph -o %t.trb --report | FileCheck %s --check-prefix=REPORT
// RUN: tilerig disasm %t.trb | FileCheck %s --check-prefix=PROGRAM
// RUN: tilerig run %t.trb --json | FileCheck %s --check-prefix=RESULT
// RUN: not tilerig-compile %s --from graph --only host -o %t.no 2>&1 | FileCheck %s --check-prefix=HOST

// CHECK: layer.host "framework"(%{{.*}}) {model = "{{.*}}op_type: \22Trilu\22{{.*}}", operations = 25 : i64, operator = "Trilu"}
// HOST: 'graph.opaque' op neither the accelerator nor the host supports Trilu
// ACCELERATOR: 'graph.opaque' op this operation is not supported by the accelerator
// REPORT: layer 2, Trilu (kept): neither the accelerator nor the host supports Trilu
// REPORT: Where: framework, as neither the accelerator nor the host supports Trilu
// PROGRAM: .host "framework"
// RESULT: "host_bytes": {{[1-9]}}

module @network {
  func.func @main(%x: tensor<3x4xf32> {graph.name = "x"}) -> (tensor<3x4xf32> {graph.name = "y"}) {
    %k = graph.constant dense<1> : tensor<i64>
    %r = graph.relu %x : tensor<3x4xf32> loc("first"("r"))
    %t = graph.opaque "" 21 "Trilu" (%r, %k) {upper = 1 : i64} present [true, true] : (tensor<3x4xf32>, tensor<i64>) -> tensor<3x4xf32> loc("kept"("t"))
    %y = graph.relu %t : tensor<3x4xf32> loc("last"("y"))
    return %y : tensor<3x4xf32>
  }
}
