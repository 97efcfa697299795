// RUN: tilerig-opt %s | tilerig-opt | FileCheck %s

// A bidirectional LSTM with a bias and without initial states; results are all outputs, the last states and
// cells.
// CHECK-LABEL: func.func @lstm
// CHECK: graph.lstm(
// CHECK-SAME: -> (tensor<7x2x3x5xf32>, tensor<2x3x5xf32>, tensor<2x3x5xf32>)
func.func @lstm(%x: tensor<7x3x4xf32>, %w: tensor<2x20x4xf32>, %r: tensor<2x20x5xf32>, %b: tensor<2x40xf32>) -> tensor<7x2x3x5xf32> {
  %y, %h, %c = graph.lstm(%x, %w, %r, %b) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0>, direction = 2 : i32, hidden = 5 : i64, activations = ["Sigmoid", "Tanh", "Tanh", "Sigmoid", "Tanh", "Tanh"], alphas = array<f32>, betas = array<f32>, clip = 0.0 : f32}
    : (tensor<7x3x4xf32>, tensor<2x20x4xf32>, tensor<2x20x5xf32>, tensor<2x40xf32>) -> (tensor<7x2x3x5xf32>, tensor<2x3x5xf32>, tensor<2x3x5xf32>)
  return %y : tensor<7x2x3x5xf32>
}

// CHECK-LABEL: func.func @gru
// CHECK: graph.gru(
// CHECK-SAME: linearBeforeReset
func.func @gru(%x: tensor<7x3x4xf32>, %w: tensor<1x15x4xf32>, %r: tensor<1x15x5xf32>, %l: tensor<3xi32>) -> tensor<1x3x5xf32> {
  %y, %h = graph.gru(%x, %w, %r, %l) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0>, direction = 0 : i32, hidden = 5 : i64, activations = ["Sigmoid", "Tanh"], alphas = array<f32>, betas = array<f32>, clip = 0.0 : f32, linearBeforeReset}
    : (tensor<7x3x4xf32>, tensor<1x15x4xf32>, tensor<1x15x5xf32>, tensor<3xi32>) -> (tensor<7x1x3x5xf32>, tensor<1x3x5xf32>)
  return %h : tensor<1x3x5xf32>
}
