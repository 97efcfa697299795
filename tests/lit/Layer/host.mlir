// RUN: tilerig-opt %s > %t && FileCheck %s < %t && tilerig-opt %t | diff %t -

// CHECK-LABEL: func.func @host
// CHECK: layer.host "TopK"(%arg0, %arg1) {axis = -1 : i64, largest = 1 : i64} present [true, true] : (tensor<2x5xf32>, tensor<1xi64>) -> (tensor<2x3xf32>, tensor<2x3xi64>)
// CHECK: layer.host "LSTM"(%arg2, %arg3, %arg4, %arg5) {hidden_size = 2 : i64} present [true, true, true, false, false, true]
func.func @host(%x: tensor<2x5xf32>, %k: tensor<1xi64>, %i: tensor<4x1x3xf32>, %w: tensor<1x8x3xf32>, %r: tensor<1x8x2xf32>, %h: tensor<1x1x2xf32>)
    -> (tensor<2x3xf32>, tensor<4x1x1x2xf32>) {
  %v, %n = layer.host "TopK"(%x, %k) {axis = -1 : i64, largest = 1 : i64} present [true, true] : (tensor<2x5xf32>, tensor<1xi64>) -> (tensor<2x3xf32>, tensor<2x3xi64>)
  %y = layer.host "LSTM"(%i, %w, %r, %h) {hidden_size = 2 : i64} present [true, true, true, false, false, true] : (tensor<4x1x3xf32>, tensor<1x8x3xf32>, tensor<1x8x2xf32>, tensor<1x1x2xf32>) -> tensor<4x1x1x2xf32>
  return %v, %y : tensor<2x3xf32>, tensor<4x1x1x2xf32>
}
