// Tensors whose types instructions cannot use, and tensors without elements, send the layers that read or compute
// them to the host, if it has a kernel, or to the framework. They are stored in DDR as the bytes of their own type (raw).
// Sums of bytes are computed in 32 bits, where the remainder of a division by 256 is the low byte.
// RUN: tilerig-opt %s -form-layers | FileCheck %s
// RUN: not tilerig-opt %s -form-layers=only=accelerator 2>&1 | FileCheck %s --check-prefix=ACCELERATOR
// RUN: tilerig-compile %s --from graph -o %t.trb
// RUN: tilerig disasm %t.trb | FileCheck %s --check-prefix=PROGRAM
// RUN: tilerig run %t.trb --json | FileCheck %s --check-prefix=RESULT

// CHECK: layer.host "framework"{{.*}}operator = "Exp"{{.*}}layer.placement = "the machine has no instructions for elements of type f64"{{.*}} -> tensor<3xf64>
// CHECK: layer.host "Add"{{.*}}layer.placement = "the host has a kernel, and the machine has no instructions for elements of type f64"{{.*}} -> tensor<3xf64>
// CHECK: layer.host "Cast"(%{{.*}}) {to = 1 : i64} {{.*}} : (tensor<3xf64>) -> tensor<3xf32>
// CHECK: layer.activate {{.*}} : (tensor<3xf32>) -> tensor<3xf32>
// CHECK: layer.host "Max"{{.*}}of type i8"{{.*}} -> tensor<4xi8>
// CHECK: layer.host "Where"{{.*}} -> tensor<4xi8>
// CHECK: layer.host "Concat"(%{{.*}}, %{{.*}}) {axis = 0 : i64}{{.*}} -> tensor<8xi8>
// CHECK: layer.host "Mod"(%{{.*}}, %{{.*}}) {fmod = 1 : i64}{{.*}} -> tensor<4xi8>
// CHECK: layer.host "BitwiseAnd"(%{{.*}}, %{{.*}}) {} {{.*}} -> tensor<4xui8>
// CHECK: layer.host "BitShift"(%{{.*}}, %{{.*}}) {direction = "LEFT"} {{.*}} -> tensor<4xui8>
// CHECK: %[[W:.*]] = layer.binary add %{{.*}} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
// CHECK: %[[B:.*]] = layer.constant dense<256>
// CHECK: %[[R:.*]] = layer.binary mod %[[W]], %[[B]]
// CHECK: layer.activate %[[R]] : (tensor<4xi32>) -> tensor<4xui8>
// CHECK: layer.host "framework"{{.*}}operator = "Reshape"{{.*}}"tensors without elements are not supported by the accelerator"
// ACCELERATOR: the machine has no instructions for elements of type f64
// PROGRAM: .input "d" float64 [3] stored=raw ddr
// PROGRAM: .input "i" int8 [4] stored=raw ddr
// PROGRAM: .input "e" int64 [0] stored=i32
// RESULT: "host_bytes": {{[1-9]}}

module @network {
  func.func @main(%d: tensor<3xf64> {graph.name = "d"}, %i: tensor<4xi8> {graph.name = "i"}, %u: tensor<4xui8> {graph.name = "u"},
                  %e: tensor<0xi64> {graph.name = "e"})
      -> (tensor<3xf32> {graph.name = "y"}, tensor<4xi8> {graph.name = "m"}, tensor<4xui8> {graph.name = "s"}, tensor<2x0xi64> {graph.name = "z"}, tensor<8xi8> {graph.name = "j"},
          tensor<4xi8> {graph.name = "f"}) {
    %x = graph.exp %d : tensor<3xf64> loc("exp"("x"))
    %a = graph.add %x, %d : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64> loc("add"("a"))
    %c = graph.cast %a : (tensor<3xf64>) -> tensor<3xf32> loc("cast"("c"))
    %y = graph.relu %c : tensor<3xf32> loc("relu"("y"))
    %m = graph.max %i, %i : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8> loc("max"("m"))
    %three = graph.constant dense<3> : tensor<i8>
    %l = graph.less %i, %three : (tensor<4xi8>, tensor<i8>) -> tensor<4xi1> loc("less"("l"))
    %w = graph.where %l, %i, %three : (tensor<4xi1>, tensor<4xi8>, tensor<i8>) -> tensor<4xi8> loc("where"("w"))
    %j = graph.concat %i, %w {axis = 0 : i64} : (tensor<4xi8>, tensor<4xi8>) -> tensor<8xi8> loc("concat"("j"))
    %f = graph.mod %i, %three {fmod} : (tensor<4xi8>, tensor<i8>) -> tensor<4xi8> loc("mod"("f"))
    %b = graph.bitwise_and %u, %u : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8> loc("and"("b"))
    %h = graph.bit_shift %b, %u {left} : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8> loc("shift"("h"))
    %s = graph.add %h, %u : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8> loc("sum"("s"))
    %z = graph.reshape %e : (tensor<0xi64>) -> tensor<2x0xi64> loc("reshape"("z"))
    return %y, %m, %s, %z, %j, %f : tensor<3xf32>, tensor<4xi8>, tensor<4xui8>, tensor<2x0xi64>, tensor<8xi8>, tensor<4xi8>
  }
}
