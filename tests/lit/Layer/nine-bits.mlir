// RUN: split-file %s %t
// RUN: tilerig-opt %t/model.mlir -decide-precision="precision=int8 calibration=%t/table.json" | FileCheck %s

// Only a function reads the sum, in another shape: nine bits. Eight bits would have the scale 1/16 = 0.0625 for
// the range -8 to 7.9375; that of nine is 255/511 of it, and 0 lies 128 * 511/255 steps above the lowest integer.
// CHECK: layer.matmul {{.*}} -> tensor<2x4x!quant.uniform<[[SUM:i16<-256:255>:f32, 0.03118[0-9]*:1]]>>
// CHECK: layer.reshape {{.*}} -> tensor<1x8x!quant.uniform<[[SUM]]>>

// A matrix product reads the result of the function: eight bits.
// CHECK: layer.activate by <tanh> {{.*}}quant.uniform<[[SUM]]>>) -> tensor<1x8x!quant.uniform<i8:f32, 7.812500e-03>>
// CHECK: layer.reshape {{.*}} -> tensor<2x4x!quant.uniform<i8:f32, 7.812500e-03>>

// Outputs keep eight bits, also those that a reduction reads besides.
// CHECK: layer.matmul {{.*}} -> tensor<2x4x!quant.uniform<i8:f32, 3.125000e-02>>
// CHECK: layer.reduce mean {{.*}} -> tensor<2x1x!quant.uniform<i16<-256:255>:f32, 0.00779{{[0-9]*}}:1>>
// CHECK: layer.activate by <sigmoid> {{.*}} -> tensor<2x1x!quant.uniform<i8:f32, 3.906250e-03:-128>>

//--- model.mlir
func.func @main(%x: tensor<2x4xf32> {graph.name = "x"}) -> (tensor<2x4xf32> {graph.name = "out"}, tensor<2x1xf32> {graph.name = "mean"}) {
  %w = layer.constant dense<1.0> : tensor<4x4xf32> as tensor<4x4xf32> loc("w")
  %a = layer.matmul %x, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32> loc("first"("a"))
  %r = layer.reshape %a : (tensor<2x4xf32>) -> tensor<1x8xf32> loc("row"("r"))
  %b = layer.activate by <tanh> %r : (tensor<1x8xf32>) -> tensor<1x8xf32> loc("tanh"("b"))
  %s = layer.reshape %b : (tensor<1x8xf32>) -> tensor<2x4xf32> loc("back"("s"))
  %c = layer.matmul %s, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32> loc("second"("out"))
  %m = layer.reduce mean %c {axes = array<i64: 1>} : (tensor<2x4xf32>) -> tensor<2x1xf32> loc("mean"("m"))
  %e = layer.activate by <sigmoid> %m : (tensor<2x1xf32>) -> tensor<2x1xf32> loc("sigmoid"("mean"))
  return %c, %e : tensor<2x4xf32>, tensor<2x1xf32>
}
//--- table.json
{"file_type": "Calibration", "samples": "by hand", "tensors": {
  "x": {"type": "int8", "method": "min-max", "min": -1, "max": 0.9921875, "scale": 0.0078125, "zero_point": 0},
  "a": {"type": "int8", "method": "min-max", "min": -8, "max": 7.9375, "scale": 0.0625, "zero_point": 0},
  "r": {"type": "int8", "method": "min-max", "min": -8, "max": 7.9375, "scale": 0.0625, "zero_point": 0},
  "b": {"type": "int8", "method": "min-max", "min": -1, "max": 0.9921875, "scale": 0.0078125, "zero_point": 0},
  "s": {"type": "int8", "method": "min-max", "min": -1, "max": 0.9921875, "scale": 0.0078125, "zero_point": 0},
  "out": {"type": "int8", "method": "min-max", "min": -4, "max": 3.96875, "scale": 0.03125, "zero_point": 0},
  "m": {"type": "int8", "method": "min-max", "min": -2, "max": 1.984375, "scale": 0.015625, "zero_point": 0},
  "mean": {"type": "int8", "method": "min-max", "min": 0, "max": 0.99609375, "scale": 0.00390625, "zero_point": -128}}}
