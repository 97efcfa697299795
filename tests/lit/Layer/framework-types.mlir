// Tensors whose types instructions cannot use, and tensors without elements, send the layers that read or compute
// them to the framework. They are stored in DDR as the bytes of their own type (raw).
// RUN: tilerig-opt %s -form-layers | FileCheck %s
// RUN: not tilerig-opt %s -form-layers=only=accelerator 2>&1 | FileCheck %s --check-prefix=ACCELERATOR
// RUN: tilerig-compile %s --from graph -o %t.trb
// RUN: tilerig disasm %t.trb | FileCheck %s --check-prefix=PROGRAM
// RUN: tilerig run %t.trb --json | FileCheck %s --check-prefix=RESULT

// CHECK: layer.host "framework"{{.*}}operator = "Add"{{.*}}layer.placement = "the machine has no instructions for elements of type f64"{{.*}} -> tensor<3xf64>
// CHECK: layer.host "framework"{{.*}}operator = "Cast"{{.*}} : (tensor<3xf64>) -> tensor<3xf32>
// CHECK: layer.activate {{.*}} : (tensor<3xf32>) -> tensor<3xf32>
// CHECK: layer.host "framework"{{.*}}operator = "Max"{{.*}}of type i8"{{.*}} -> tensor<4xi8>
// CHECK: layer.host "framework"{{.*}}operator = "Add"{{.*}}"arithmetic on 8-bit integers without a quantisation scale is not supported"
// CHECK: layer.host "framework"{{.*}}operator = "Reshape"{{.*}}"tensors without elements are not supported by the accelerator"
// ACCELERATOR: the machine has no instructions for elements of type f64
// PROGRAM: .input "d" float64 [3] stored=raw ddr
// PROGRAM: .input "i" int8 [4] stored=raw ddr
// PROGRAM: .input "e" int64 [0] stored=i32
// RESULT: "host_bytes": {{[1-9]}}

module @network {
  func.func @main(%d: tensor<3xf64> {graph.name = "d"}, %i: tensor<4xi8> {graph.name = "i"}, %u: tensor<4xui8> {graph.name = "u"},
                  %e: tensor<0xi64> {graph.name = "e"})
      -> (tensor<3xf32> {graph.name = "y"}, tensor<4xi8> {graph.name = "m"}, tensor<4xui8> {graph.name = "s"}, tensor<2x0xi64> {graph.name = "z"}) {
    %a = graph.add %d, %d : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64> loc("add"("a"))
    %c = graph.cast %a : (tensor<3xf64>) -> tensor<3xf32> loc("cast"("c"))
    %y = graph.relu %c : tensor<3xf32> loc("relu"("y"))
    %m = graph.max %i, %i : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8> loc("max"("m"))
    %s = graph.add %u, %u : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8> loc("sum"("s"))
    %z = graph.reshape %e : (tensor<0xi64>) -> tensor<2x0xi64> loc("reshape"("z"))
    return %y, %m, %s, %z : tensor<3xf32>, tensor<4xi8>, tensor<4xui8>, tensor<2x0xi64>
  }
}
