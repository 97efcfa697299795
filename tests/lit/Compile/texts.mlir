// RUN: tilerig-compile %s --from graph --emit graph -o %t.1
// RUN: tilerig-compile %t.1 --from graph --emit graph -o %t.2 && cmp %t.1 %t.2
// RUN: tilerig-compile %s --from graph --emit layer -o %t.3
// RUN: tilerig-compile %t.3 --from layer --emit layer -o %t.4 && cmp %t.3 %t.4
// RUN: tilerig-compile %t.3 --from layer --emit onnx -o %t.onnx
// RUN: FileCheck %s < %t.1
// RUN: FileCheck %s --check-prefix=LAYER < %t.3

// CHECK: graph.relu
// LAYER: layer.matmul {{.*}} then <relu> {layer.region = 0 : i64}
// LAYER-SAME: loc([[FUSED:.*]])
// LAYER: fused["product", "function"]
module @network {
  func.func @main(%x: tensor<2x3xf32> {graph.name = "x"}) -> (tensor<2x2xf32> {graph.name = "y"}) {
    %w = graph.constant dense_resource<weights> : tensor<3x2xf32>
    %p = graph.matmul %x, %w : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32> loc("product")
    %y = graph.relu %p : tensor<2x2xf32> loc("function")
    return %y : tensor<2x2xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x040000000000803F0000004000004040000080400000A0400000C040"
    }
  }
#-}
