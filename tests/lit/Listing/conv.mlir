// RUN: tilerig-compile %s --from layer --report | FileCheck %s --match-full-lines --strict-whitespace

// Tests the format of the listing line by line; the lines From, Where and Nodes are additions to the format.
// There are 30 * 30 * 64 results of 9 multiply-adds, which count as two operations each, 64 * 9 weights and
// 64 biases.
//      CHECK:Layer 1: Conv
// CHECK-NEXT:Input [1]: float16, [batch, inC, H, W]=[1, 1, 32, 32]
// CHECK-NEXT:From: input image
// CHECK-NEXT:Weight: float16, [outC, inC, H, W]=[64, 1, 3, 3]
// CHECK-NEXT:Bias: float, [64]
// CHECK-NEXT:Padding: [top, left, bottom, right]=0, 0, 0, 0
// CHECK-NEXT:Stride: [h, w]=[1, 1]
// CHECK-NEXT:Activation: relu
// CHECK-NEXT:output: float16, [batch, H, W, outC]=[1, 30, 30, 64]
// CHECK-NEXT:# of MACs: 518400
// CHECK-NEXT:# of Operations: 1036800
// CHECK-NEXT:# of Parameters: 640
// CHECK-NEXT:Where: accelerator
// CHECK-NEXT:Nodes: conv1, relu1
module {
  func.func @main(%x: tensor<1x32x32x1xf16> {graph.name = "image"}) -> tensor<1x30x30x64xf16> {
    %w = layer.constant dense<0.5> : tensor<64x3x3x1xf16> as tensor<64x3x3x1xf16>
    %b = layer.constant dense<1.0> : tensor<64xf32> as tensor<64xf32>
    %y = layer.conv %x, %w bias %b then <relu> {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
      : (tensor<1x32x32x1xf16>, tensor<64x3x3x1xf16>, tensor<64xf32>) -> tensor<1x30x30x64xf16> loc(fused["conv1", "relu1"])
    return %y : tensor<1x30x30x64xf16>
  }
}
