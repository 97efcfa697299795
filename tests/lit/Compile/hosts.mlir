// RUN: tilerig-compile %s --from layer -o %t.trb && tilerig-disasm %t.trb | FileCheck %s

// Two host layers of the same kind become two stages with different names.
// CHECK: .stage "part {{[0-9]+}}: TopK on the host" inference
// CHECK: .stage "part {{[0-9]+}}: TopK on the host" inference
module @network {
  func.func @main(%x: tensor<2x5xf32> {graph.name = "x"}) -> (tensor<2x3xf32> {graph.name = "y"}) {
    %five = layer.constant dense<5> : tensor<1xi64> as tensor<1xi64>
    %three = layer.constant dense<3> : tensor<1xi64> as tensor<1xi64>
    %sorted, %at = layer.host "TopK"(%x, %five) {axis = -1 : i64, largest = 1 : i64} present [true, true] : (tensor<2x5xf32>, tensor<1xi64>) -> (tensor<2x5xf32>, tensor<2x5xi64>)
    %positive = layer.activate by <relu> %sorted : (tensor<2x5xf32>) -> tensor<2x5xf32>
    %y, %n = layer.host "TopK"(%positive, %three) {axis = -1 : i64, largest = 1 : i64} present [true, true] : (tensor<2x5xf32>, tensor<1xi64>) -> (tensor<2x3xf32>, tensor<2x3xi64>)
    return %y : tensor<2x3xf32>
  }
}
