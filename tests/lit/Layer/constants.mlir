// RUN: tilerig-opt %s > %t && FileCheck %s < %t && tilerig-opt %t | diff %t -

// CHECK-LABEL: func.func @constants
// CHECK: layer.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32> as tensor<2xf32>
// CHECK: layer.constant dense<[-1, 127]> : tensor<2xi8> as tensor<2x!quant.uniform<i8:f32, 5.000000e-01>>
// CHECK: layer.constant dense<[0, 255]> : tensor<2xui8> as tensor<2x!quant.uniform<u8:f32, 5.000000e-01:128>>
// CHECK: layer.constant dense_resource<weights> : tensor<2xf32> as tensor<2xf32>
// CHECK: weights: "0x040000000000803F00000040"
func.func @constants() -> tensor<2xf32> {
  %a = layer.constant dense<[1.0, 2.0]> : tensor<2xf32> as tensor<2xf32>
  %b = layer.constant dense<[-1, 127]> : tensor<2xi8> as tensor<2x!quant.uniform<i8:f32, 0.5>>
  %c = layer.constant dense<[0, 255]> : tensor<2xui8> as tensor<2x!quant.uniform<u8:f32, 0.5:128>>
  %d = layer.constant dense_resource<weights> : tensor<2xf32> as tensor<2xf32>
  return %d : tensor<2xf32>
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x040000000000803F00000040"
    }
  }
#-}
