// RUN: tilerig-compile %s --from layer --report | FileCheck %s --match-full-lines --strict-whitespace

// A quantised convolution: the listing shows scales and zero points.
//      CHECK:Layer 1: Conv
// CHECK-NEXT:Input [1]: uint8, [batch, inC, H, W]=[1, 1, 32, 32]
// CHECK-NEXT:From: input image
// CHECK-NEXT:Quantised: scale 0.5, zero point 128
// CHECK-NEXT:Weight: int8, [outC, inC, H, W]=[2, 1, 3, 3]
// CHECK-NEXT:Quantised: 2 scales from 0.25 to 0.5 along axis 0, zero point 0
// CHECK-NEXT:Bias: int32, [2]
// CHECK-NEXT:Padding: [top, left, bottom, right]=1, 2, 3, 4
// CHECK-NEXT:Stride: [h, w]=[2, 1]
// CHECK-NEXT:Activation: none
// CHECK-NEXT:output: int9, [batch, H, W, outC]=[1, 17, 36, 2]
// CHECK-NEXT:Quantised: scale 2, zero point -3
// CHECK-NEXT:# of MACs: 11016
// CHECK-NEXT:# of Operations: 22032
// CHECK-NEXT:# of Parameters: 20
module {
  func.func @main(%x: tensor<1x32x32x1x!quant.uniform<u8:f32, 0.5:128>> {graph.name = "image"}) -> tensor<1x17x36x2x!quant.uniform<i16<-256:255>:f32, 2.0:-3>> {
    %w = layer.constant dense<1> : tensor<2x3x3x1xi8> as tensor<2x3x3x1x!quant.uniform<i8:f32:0, {0.25, 0.5}>>
    %b = layer.constant dense<1> : tensor<2xi32> as tensor<2xi32>
    %y = layer.conv %x, %w bias %b {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 1, 2, 3, 4>, strides = array<i64: 2, 1>}
      : (tensor<1x32x32x1x!quant.uniform<u8:f32, 0.5:128>>, tensor<2x3x3x1x!quant.uniform<i8:f32:0, {0.25, 0.5}>>, tensor<2xi32>) -> tensor<1x17x36x2x!quant.uniform<i16<-256:255>:f32, 2.0:-3>>
    return %y : tensor<1x17x36x2x!quant.uniform<i16<-256:255>:f32, 2.0:-3>>
  }
}
