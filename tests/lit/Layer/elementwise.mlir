// RUN: tilerig-opt %s > %t && FileCheck %s --strict-whitespace < %t && tilerig-opt %t | diff %t -

// Parameters of functions whose text form is special: 16777216 and 1e30 have no short decimal form with a
// point, and NaN and infinity have no decimal form.
// CHECK-LABEL: func.func @functions
// CHECK: layer.activate by <relu> %arg0
// CHECK: layer.activate by <leaky_relu 1.000000e-01>
// CHECK: layer.activate by <clip 0xFF800000, 0x4B800000>
// CHECK: layer.activate by <hard_sigmoid 0x7FC00000, 1.000000e+30>
// CHECK: layer.activate %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf16>
func.func @functions(%x: tensor<2x3xf32>) -> tensor<2x3xf16> {
  %a = layer.activate by <relu> %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %b = layer.activate by <leaky_relu 0.1> %a : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %c = layer.activate by <clip 0xFF800000, 0x4B800000> %b : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %d = layer.activate by <hard_sigmoid 0x7FC00000, 1.0e30> %c : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %e = layer.activate %d : (tensor<2x3xf32>) -> tensor<2x3xf16>
  return %e : tensor<2x3xf16>
}

// CHECK-LABEL: func.func @pairs
// CHECK: layer.binary add %arg0, %arg1 then <tanh> : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
// CHECK: layer.binary less_equal %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
// CHECK: layer.select %{{.*}}, %arg0, %arg1 then <abs>
func.func @pairs(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2x3xf32> {
  %a = layer.binary add %x, %y then <tanh> : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %b = layer.binary less_equal %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  %c = layer.select %b, %x, %y then <abs> : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %c : tensor<2x3xf32>
}

// Operands and result may all have different scales.
// CHECK-LABEL: func.func @quantised
// CHECK: layer.binary mul
func.func @quantised(%x: tensor<4x!quant.uniform<i8:f32, 0.5>>, %y: tensor<4x!quant.uniform<u8:f32, 0.25:7>>) -> tensor<4x!quant.uniform<i8:f32, 2.0:-3>> {
  %a = layer.binary mul %x, %y : (tensor<4x!quant.uniform<i8:f32, 0.5>>, tensor<4x!quant.uniform<u8:f32, 0.25:7>>) -> tensor<4x!quant.uniform<i8:f32, 2.0:-3>>
  return %a : tensor<4x!quant.uniform<i8:f32, 2.0:-3>>
}
