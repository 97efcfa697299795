// RUN: split-file %s %t
// RUN: tilerig-opt %t/model.mlir -decide-precision="precision=int8 calibration=%t/table.json" | FileCheck %s --check-prefix=INT8
// RUN: tilerig-opt %t/model.mlir -decide-precision="precision=uint8 calibration=%t/table.json" | FileCheck %s --check-prefix=UINT8
// RUN: tilerig-opt %t/model.mlir -decide-precision="precision=%t/tensor.json calibration=%t/table.json" | FileCheck %s --check-prefix=TENSOR
// RUN: tilerig-opt %t/model.mlir -decide-precision="precision=fp16" | FileCheck %s --check-prefix=FP16
// RUN: tilerig-opt %t/model.mlir -decide-precision="precision=%t/mixed.json calibration=%t/table.json" | FileCheck %s --check-prefix=MIXED

// The range of x is 255 steps of 1/128 from -1 on, so the zero point is 0. Weights are symmetric; the largest
// weight of each output is 127 steps. The unit of a bias is the product of both scales, 1/128 * 1/64 and
// 1/128 * 1/32.
// INT8: %[[X:.*]] = layer.activate %arg0 : (tensor<2x4xf32>) -> tensor<2x4x!quant.uniform<i8:f32, 7.812500e-03>>
// INT8-DAG: %[[W:.*]] = layer.constant dense<{{\[\[}}127, 32, -16, 1], [127, 32, -16, 0]]> : tensor<2x4xi8> as tensor<2x4x!quant.uniform<i8<-127:127>:f32:0, {1.562500e-02,3.125000e-02}>>
// INT8-DAG: %[[B:.*]] = layer.constant dense<[8192, -8192]> : tensor<2xi32>
// INT8: %[[Y:.*]] = layer.matmul %[[X]], %[[W]] bias %[[B]] then <relu> {layer.precision = "int8"}
// INT8-SAME: -> tensor<2x2x!quant.uniform<i8:f32, 6.250000e-02:-128>>
// INT8: %[[R:.*]] = layer.reshape %[[Y]] {layer.precision = "int8"} : (tensor<2x2x!quant.uniform<i8:f32, 6.250000e-02:-128>>) -> tensor<4x!quant.uniform<i8:f32, 6.250000e-02:-128>>
// INT8: %[[OUT:.*]] = layer.activate %[[R]] : ({{.*}}) -> tensor<4xf32>
// INT8: return %[[OUT]]

// In uint8 the scales are the same and the zero points are 128 higher.
// UINT8: layer.activate %arg0 : (tensor<2x4xf32>) -> tensor<2x4x!quant.uniform<u8:f32, 7.812500e-03:128>>
// UINT8: layer.matmul {{.*}} -> tensor<2x2x!quant.uniform<u8:f32, 6.250000e-02>>

// Per-tensor weights: the scale follows from the largest weight of all; all biases have unit 1/128 * 1/32.
// TENSOR-DAG: layer.constant dense<{{\[\[}}64, 16, -8, 0], [127, 32, -16, 0]]> : tensor<2x4xi8> as tensor<2x4x!quant.uniform<i8<-127:127>:f32, 3.125000e-02>>
// TENSOR-DAG: layer.constant dense<[4096, -8192]> : tensor<2xi32>

// fp16 needs no calibrated ranges. The bias, with which the sum starts, is fp32.
// FP16: %[[X:.*]] = layer.activate %arg0 : (tensor<2x4xf32>) -> tensor<2x4xf16>
// FP16-DAG: %[[W:.*]] = layer.constant dense<{{.*}}> : tensor<2x4xf16>
// FP16-DAG: %[[B:.*]] = layer.constant dense<{{.*}}> : tensor<2xf32>
// FP16: %[[Y:.*]] = layer.matmul %[[X]], %[[W]] bias %[[B]] then <relu> {layer.precision = "fp16"} : (tensor<2x4xf16>, tensor<2x4xf16>, tensor<2xf32>) -> tensor<2x2xf16>
// FP16: layer.activate {{.*}} -> tensor<4xf32>

// A precision file (mixed.json) names a layer by its node or its tensor. A layer that only moves elements
// keeps the type of its input.
// MIXED: layer.matmul {{.*}} {layer.precision = "fp32"} : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2xf32>) -> tensor<2x2xf32>
// MIXED: layer.reshape {{.*}} {layer.precision = "int8"} : (tensor<2x2xf32>) -> tensor<4xf32>

//--- model.mlir
func.func @main(%x: tensor<2x4xf32> {graph.name = "x"}) -> (tensor<4xf32> {graph.name = "out"}) {
  %w = layer.constant dense<[[1.984375, 0.5, -0.25, 0.015625], [3.96875, 1.0, -0.5, 0.0]]> : tensor<2x4xf32> as tensor<2x4xf32> loc("w")
  %b = layer.constant dense<[1.0, -2.0]> : tensor<2xf32> as tensor<2xf32> loc("b")
  %y = layer.matmul %x, %w bias %b then <relu> : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2xf32>) -> tensor<2x2xf32> loc("dense"("y"))
  %r = layer.reshape %y : (tensor<2x2xf32>) -> tensor<4xf32> loc("flat"("out"))
  return %r : tensor<4xf32>
}
//--- table.json
{"file_type": "Calibration", "samples": "by hand", "tensors": {
  "x": {"type": "int8", "method": "min-max", "min": -1.0, "max": 0.9921875, "scale": 0.0078125, "zero_point": 0},
  "y": {"type": "int8", "method": "min-max", "min": 0.0, "max": 15.9375, "scale": 0.0625, "zero_point": -128},
  "out": {"type": "int8", "method": "min-max", "min": 0.0, "max": 15.9375, "scale": 0.0625, "zero_point": -128}}}
//--- tensor.json
{"default": "int8", "weights": "per-tensor"}
//--- mixed.json
{"default": "int8", "layers": {"dense": "fp32"}}
