// RUN: tilerig-compile %s --from layer --report | FileCheck %s --match-full-lines --strict-whitespace

// Tests the listing of every kind of layer: its text, its source, and whether accelerator or host runs it.

//      CHECK:Region 0: accelerator, layers 1 to 12, 4656 multiply-accumulates, {{[0-9]+}} bytes in and out of layers, at least {{[0-9.]+}} us
// On the host, either layer would be a region of its own, with a call and two transfers.
// CHECK-NEXT:  layer 1, Transpose (): both can run it; the expected time of the network is 7.{{[0-9]+}} us with it on the accelerator, 15.{{[0-9]+}} us with it on the host
// CHECK-NEXT:  layer 5, Reshape (): both can run it; the expected time of the network is 7.{{[0-9]+}} us with it on the accelerator, 14.{{[0-9]+}} us with it on the host
// Inputs: 24 floats and a 64-bit index (stored in 32 bits); outputs: 3 floats and 3 indices. At 16 bytes per
// nanosecond, these 124 bytes take 8 ns. A call takes 5000 ns, two transfers 2000, a sort of 24 elements with
// 1 + 5 steps each 144.
// CHECK-NEXT:Region 1: host, layers 13 to 13, 0 multiply-accumulates, 124 bytes over the host link, about 7.2 us
// CHECK-NEXT:  layer 13, TopK (top): the accelerator has no layer for TopK, and the host has a kernel

//      CHECK:Layer 1: Transpose
//      CHECK:Order: [0, 2, 3, 1]

//      CHECK:Layer 2: Conv
// CHECK-NEXT:Input [1]: float, [batch, inC, H, W]=[1, 4, 8, 8]
// CHECK-NEXT:From: layer 1
// CHECK-NEXT:Weight: float, [outC, inC, H, W]=[4, 2, 3, 3]
// CHECK-NEXT:Addend [2]: float, [batch, H, W, outC]=[1, 8, 8, 4]
// CHECK-NEXT:From: layer 1
// CHECK-NEXT:Padding: [top, left, bottom, right]=2, 2, 2, 2
// CHECK-NEXT:Stride: [h, w]=[1, 1]
// CHECK-NEXT:Dilation: [h, w]=[2, 2]
// CHECK-NEXT:Groups: [2]
// CHECK-NEXT:Activation: clip(0, 6)
// CHECK-NEXT:output: float, [batch, H, W, outC]=[1, 8, 8, 4]
// 256 results of 18 multiplications each.
// CHECK-NEXT:# of MACs: 4608
// CHECK-NEXT:# of Operations: 9216
// CHECK-NEXT:# of Parameters: 72

//      CHECK:Layer 3: MaxPool
// CHECK-NEXT:Input [1]: float, [batch, inC, H, W]=[1, 4, 8, 8]
// CHECK-NEXT:From: layer 2
// CHECK-NEXT:Kernel: [h, w]=[2, 2]
// CHECK-NEXT:Padding: [top, left, bottom, right]=0, 0, 0, 0
// CHECK-NEXT:Stride: [h, w]=[4, 4]
// CHECK-NEXT:Activation: none

//      CHECK:Layer 4: ReduceMean
//      CHECK:Axes: [1, 2]

//      CHECK:Layer 5: Reshape
//      CHECK:output: float, [1, 4]
// CHECK-NEXT:# of MACs: 0
// CHECK-NEXT:# of Operations: 0

//      CHECK:Layer 6: MatMul
// CHECK-NEXT:Input [1]: float, [M, K]=[1, 4]
// CHECK-NEXT:From: layer 5
// CHECK-NEXT:Weight: float, [outC, inC]=[6, 4]
// CHECK-NEXT:Activation: none
// CHECK-NEXT:output: float, [M, outC]=[1, 6]
// CHECK-NEXT:# of MACs: 24
// CHECK-NEXT:# of Operations: 48
// CHECK-NEXT:# of Parameters: 24

//      CHECK:Layer 7: MatMul
//      CHECK:Input [2]: float, [N, K]=[4, 6]

//      CHECK:Layer 8: Softmax
//      CHECK:Axis: [1]

//      CHECK:Layer 9: Norm
//      CHECK:Gain: float, [4]
// CHECK-NEXT:Axes: [1]
// CHECK-NEXT:Epsilon: 0.5
//      CHECK:# of Parameters: 4

//      CHECK:Layer 10: Less
// CHECK-NEXT:Input [1]: float, [1, 4]
// CHECK-NEXT:From: layer 9
// CHECK-NEXT:Constant [2]: float, []
//      CHECK:output: bool, [1, 4]
// CHECK-NEXT:# of MACs: 0
// CHECK-NEXT:# of Operations: 0
// CHECK-NEXT:# of Parameters: 1

//      CHECK:Layer 11: Select
// CHECK-NEXT:Input [1]: bool, [1, 4]
// CHECK-NEXT:From: layer 10

//      CHECK:Layer 12: Pad
//      CHECK:Padding: [before…, after…]=0, 20, 0, 0
// CHECK-NEXT:Value: -1.5

//      CHECK:Layer 13: TopK
// CHECK-NEXT:Input [1]: float, [1, 24]
// CHECK-NEXT:From: layer 12
// CHECK-NEXT:Constant [2]: int64, [1]
// CHECK-NEXT:Parameter: axis = -1 : i64
// CHECK-NEXT:output: float, [1, 3]
// CHECK-NEXT:output: int64, [1, 3]
// CHECK-NEXT:# of MACs: 0
// CHECK-NEXT:# of Operations: 0
// CHECK-NEXT:# of Parameters: 0
// CHECK-NEXT:Where: host, as the accelerator has no layer for TopK, and the host has a kernel
// CHECK-NEXT:Nodes: top
module {
  func.func @main(%x: tensor<1x4x8x8xf32>, %m: tensor<4x6xf32>) -> (tensor<1x3xf32>, tensor<1x3xi64>) {
    %w = layer.constant dense<0.5> : tensor<4x3x3x2xf32> as tensor<4x3x3x2xf32>
    %d = layer.constant dense<0.5> : tensor<6x4xf32> as tensor<6x4xf32>
    %g = layer.constant dense<0.5> : tensor<4xf32> as tensor<4xf32>
    %s = layer.constant dense<0.5> : tensor<f32> as tensor<f32>
    %k = layer.constant dense<3> : tensor<1xi64> as tensor<1xi64>
    %1 = layer.transpose %x {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x4x8x8xf32>) -> tensor<1x8x8x4xf32>
    %2 = layer.conv %1, %w addend %1 then <clip 0.0, 6.0> {dilations = array<i64: 2, 2>, groups = 2 : i64, pads = array<i64: 2, 2, 2, 2>, strides = array<i64: 1, 1>}
      : (tensor<1x8x8x4xf32>, tensor<4x3x3x2xf32>, tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32>
    %3 = layer.pool max %2 {kernel = array<i64: 2, 2>, strides = array<i64: 4, 4>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : (tensor<1x8x8x4xf32>) -> tensor<1x2x2x4xf32>
    %4 = layer.reduce mean %3 {axes = array<i64: 1, 2>} : (tensor<1x2x2x4xf32>) -> tensor<1x1x1x4xf32>
    %5 = layer.reshape %4 : (tensor<1x1x1x4xf32>) -> tensor<1x4xf32>
    %6 = layer.matmul %5, %d : (tensor<1x4xf32>, tensor<6x4xf32>) -> tensor<1x6xf32>
    %7 = layer.matmul %6, %m : (tensor<1x6xf32>, tensor<4x6xf32>) -> tensor<1x4xf32>
    %8 = layer.softmax %7 {axis = 1 : i64} : (tensor<1x4xf32>) -> tensor<1x4xf32>
    %9 = layer.normalize mean_variance %8 gain %g {axes = array<i64: 1>, epsilon = 0.5 : f32} : (tensor<1x4xf32>, tensor<4xf32>) -> tensor<1x4xf32>
    %10 = layer.binary less %9, %s : (tensor<1x4xf32>, tensor<f32>) -> tensor<1x4xi1>
    %11 = layer.select %10, %9, %8 : (tensor<1x4xi1>, tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %12 = layer.pad %11 {pads = array<i64: 0, 20, 0, 0>, value = -1.5 : f32} : (tensor<1x4xf32>) -> tensor<1x24xf32>
    %13, %14 = layer.host "TopK"(%12, %k) {axis = -1 : i64} present [true, true] : (tensor<1x24xf32>, tensor<1xi64>) -> (tensor<1x3xf32>, tensor<1x3xi64>) loc("top")
    return %13, %14 : tensor<1x3xf32>, tensor<1x3xi64>
  }
}
