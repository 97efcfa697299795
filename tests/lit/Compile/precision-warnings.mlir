// RUN: split-file %s %t

// Inputs are 8-bit integers from -128 to 127, weights are 127: a sum of 132,105 products may exceed 2^31.
// RUN: tilerig-compile %t/deep.mlir --from graph --precision int8 --calibration %t/table.json --tiles 2 -o %t.trb | FileCheck %s --check-prefix=DEEP
// RUN: tilerig-compile %t/deep.mlir --from graph --precision int8 --calibration %t/table.json --emit layer -o %t.out --json | FileCheck %s --check-prefix=JSON
// DEEP: warning: layer 'deep': its sums of 132105 products of 8-bit integers may exceed 32 bits, and then wrap around; give this layer the precision fp32, fp16 or bf16, in a file for --precision
// JSON: "warnings": [
// JSON-NEXT: "layer 'deep': its sums of 132105 products

// A sum of one product less does not, and neither does a sum of more products with weights that are smaller.
// RUN: tilerig-compile %t/fits.mlir --from graph --precision int8 --calibration %t/table.json --emit layer -o %t.out | FileCheck %s --check-prefix=NONE
// RUN: tilerig-compile %t/small.mlir --from graph --precision int8 --calibration %t/table.json --emit layer -o %t.out | FileCheck %s --check-prefix=NONE
// RUN: tilerig-compile %t/deep.mlir --from graph --precision fp16 --emit layer -o %t.out | FileCheck %s --check-prefix=NONE --allow-empty
// NONE-NOT: warning

// The largest number of fp16 is 65504; a number from 65520 on becomes infinite. The weight that is infinite
// already does not count.
// RUN: tilerig-compile %t/large.mlir --from graph --precision fp16 --tiles 2 -o %t.trb | FileCheck %s --check-prefix=FP16
// RUN: tilerig-compile %t/large.mlir --from graph --precision fp16 --tiles 2 -o %t.trb --json | FileCheck %s --check-prefix=LIST
// FP16: warning: layer 'large': 2 of 6 weights are too large for fp16 and become infinite; give this layer the precision bf16 or fp32, in a file for --precision
// LIST: "warnings": [
// LIST-NEXT: "layer 'large': 2 of 6 weights are too large for fp16
// RUN: tilerig-compile %t/large.mlir --from graph --precision bf16 --tiles 2 -o %t.trb | FileCheck %s --check-prefix=NONE --allow-empty

//--- table.json
{"file_type": "Calibration", "samples": "none", "tensors": {
  "x": {"type": "int8", "method": "min-max", "min": -1.28, "max": 1.27, "scale": 0.01, "zero_point": 0},
  "y": {"type": "int8", "method": "min-max", "min": -1.28, "max": 1.27, "scale": 0.01, "zero_point": 0}}}

//--- deep.mlir
module @network {
  func.func @main(%x: tensor<1x132105xf32> {graph.name = "x"}) -> (tensor<1x1xf32> {graph.name = "y"}) {
    %w = graph.constant dense<1.0> : tensor<132105x1xf32>
    %y = graph.matmul %x, %w : (tensor<1x132105xf32>, tensor<132105x1xf32>) -> tensor<1x1xf32> loc("deep")
    return %y : tensor<1x1xf32>
  }
}

//--- fits.mlir
module @network {
  func.func @main(%x: tensor<1x132104xf32> {graph.name = "x"}) -> (tensor<1x1xf32> {graph.name = "y"}) {
    %w = graph.constant dense<1.0> : tensor<132104x1xf32>
    %y = graph.matmul %x, %w : (tensor<1x132104xf32>, tensor<132104x1xf32>) -> tensor<1x1xf32> loc("deep")
    return %y : tensor<1x1xf32>
  }
}

//--- small.mlir
module @network {
  func.func @main(%x: tensor<1x200000xf32> {graph.name = "x"}) -> (tensor<1x1xf32> {graph.name = "y"}) {
    %large = graph.constant dense<1.0> : tensor<100000x1xf32>
    %small = graph.constant dense<0.25> : tensor<100000x1xf32>
    %w = graph.concat %large, %small {axis = 0 : i64} : (tensor<100000x1xf32>, tensor<100000x1xf32>) -> tensor<200000x1xf32>
    %y = graph.matmul %x, %w : (tensor<1x200000xf32>, tensor<200000x1xf32>) -> tensor<1x1xf32> loc("deep")
    return %y : tensor<1x1xf32>
  }
}

//--- large.mlir
module @network {
  func.func @main(%x: tensor<2x3xf32> {graph.name = "x"}) -> (tensor<2x2xf32> {graph.name = "y"}) {
    %w = graph.constant dense<[[1.0, 65519.0], [65520.0, -1.0e6], [0x7F800000, -65504.0]]> : tensor<3x2xf32>
    %y = graph.matmul %x, %w : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32> loc("large")
    return %y : tensor<2x2xf32>
  }
}
