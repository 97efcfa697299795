// RUN: split-file %s %t
// RUN: tilerig-compile %t/model.mlir --from layer --quantised-inputs uint8 --quantised-outputs int8 --emit layer -o %t.1
// RUN: FileCheck %s --check-prefix=OTHER < %t.1
// RUN: tilerig-compile %t/model.mlir --from layer --quantised-inputs int8 --quantised-outputs uint8 --emit layer -o %t.2
// RUN: FileCheck %s --check-prefix=OWN < %t.2

// Inputs and outputs whose 8-bit type differs from that of the layers need one conversion each, which does
// not round.
// OTHER: func.func @main(%arg0: tensor<2x3x!quant.uniform<u8:f32, 5.000000e-01:131>>
// OTHER-SAME: -> (tensor<2x2x!quant.uniform<i8:f32, 2.500000e-01:-128>>
// OTHER-COUNT-2: layer.activate
// OTHER-NOT: layer.activate

// OWN: func.func @main(%arg0: tensor<2x3x!quant.uniform<i8:f32, 5.000000e-01:3>>
// OWN-SAME: -> (tensor<2x2x!quant.uniform<u8:f32, 2.500000e-01>>
// OWN-NOT: layer.activate

// RUN: not tilerig-compile %t/floats.mlir --from layer --quantised-inputs uint8 --report 2>&1 | FileCheck %s --check-prefix=INPUT
// INPUT: floats.mlir: input 'x': the layers that read the input do not read 8-bit integers with one scale
// RUN: not tilerig-compile %t/floats.mlir --from layer --quantised-outputs uint8 --report 2>&1 | FileCheck %s --check-prefix=OUTPUT
// OUTPUT: floats.mlir: output 'y': the layer that computes the output does not compute 8-bit integers with one scale
// RUN: not tilerig-compile %t/floats.mlir --from layer --quantised-outputs int4 --report 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: int4

//--- model.mlir
module @network {
  func.func @main(%x: tensor<2x3xf32> {graph.name = "x"}) -> (tensor<2x2xf32> {graph.name = "y"}) {
    %q = layer.activate %x : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>
    %w = layer.constant dense<1> : tensor<2x3xi8> as tensor<2x3x!quant.uniform<i8:f32, 0.125>>
    %p = layer.matmul %q, %w : (tensor<2x3x!quant.uniform<i8:f32, 0.5:3>>, tensor<2x3x!quant.uniform<i8:f32, 0.125>>) -> tensor<2x2x!quant.uniform<u8:f32, 0.25>>
    %y = layer.activate %p : (tensor<2x2x!quant.uniform<u8:f32, 0.25>>) -> tensor<2x2xf32>
    return %y : tensor<2x2xf32>
  }
}

//--- floats.mlir
module @network {
  func.func @main(%x: tensor<2x3xf32> {graph.name = "x"}) -> (tensor<2x3xf32> {graph.name = "y"}) {
    %y = layer.activate by <relu> %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %y : tensor<2x3xf32>
  }
}
