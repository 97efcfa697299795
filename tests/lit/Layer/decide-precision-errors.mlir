// RUN: split-file %s %t
// RUN: not tilerig-opt %t/model.mlir -decide-precision="precision=int8 calibration=%t/lacking.json" 2>&1 | FileCheck %s --check-prefix=LACKING
// LACKING: 'y'

// RUN: not tilerig-opt %t/model.mlir -decide-precision="precision=%t/other.json calibration=%t/table.json" 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: other.json: {{.*}}nobody

// RUN: not tilerig-opt %t/model.mlir -decide-precision="precision=%t/twice.json calibration=%t/table.json" 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: twice.json: {{.*}}dense

// RUN: not tilerig-opt %t/model.mlir -decide-precision="precision=fp12" 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: fp12

// RUN: not tilerig-opt %t/infinite.mlir -decide-precision="precision=int8 calibration=%t/table.json" 2>&1 | FileCheck %s --check-prefix=INFINITE
// INFINITE: dense: weights: element 1 is inf; 8-bit layers need finite weights and biases

// RUN: not tilerig-opt %t/nameless.mlir -decide-precision="precision=fp16" 2>&1 | FileCheck %s --check-prefix=MAIN
// MAIN: the module has no function 'main'

//--- model.mlir
func.func @main(%x: tensor<2x2xf32> {graph.name = "x"}) -> (tensor<2x1xf32> {graph.name = "y"}) {
  %w = layer.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32> as tensor<1x2xf32> loc("w")
  %y = layer.matmul %x, %w : (tensor<2x2xf32>, tensor<1x2xf32>) -> tensor<2x1xf32> loc("dense"("y"))
  return %y : tensor<2x1xf32>
}
//--- infinite.mlir
func.func @main(%x: tensor<2x2xf32> {graph.name = "x"}) -> (tensor<2x1xf32> {graph.name = "y"}) {
  %w = layer.constant dense<[[1.0, 0x7F800000]]> : tensor<1x2xf32> as tensor<1x2xf32> loc("w")
  %y = layer.matmul %x, %w : (tensor<2x2xf32>, tensor<1x2xf32>) -> tensor<2x1xf32> loc("dense"("y"))
  return %y : tensor<2x1xf32>
}
//--- nameless.mlir
func.func @other(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
//--- lacking.json
{"file_type": "Calibration", "samples": "by hand", "tensors": {
  "x": {"type": "int8", "method": "min-max", "min": -1.0, "max": 0.9921875, "scale": 0.0078125, "zero_point": 0}}}
//--- table.json
{"file_type": "Calibration", "samples": "by hand", "tensors": {
  "x": {"type": "int8", "method": "min-max", "min": -1.0, "max": 0.9921875, "scale": 0.0078125, "zero_point": 0},
  "y": {"type": "int8", "method": "min-max", "min": 0.0, "max": 15.9375, "scale": 0.0625, "zero_point": -128}}}
//--- other.json
{"layers": {"nobody": "fp16"}}
//--- twice.json
{"layers": {"dense": "fp16", "y": "int8"}}
