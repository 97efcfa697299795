// RUN: tilerig-opt %s -split-input-file -verify-diagnostics

// A GRU has three gates of five units each; the weights have rows for four.
func.func @gates(%x: tensor<7x3x4xf32>, %w: tensor<1x20x4xf32>, %r: tensor<1x15x5xf32>) -> tensor<1x3x5xf32> {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{type of the weights is 'tensor<1x20x4xf32>', expected shape 1x15x4 of 'f32'}}
  %y, %h = graph.gru(%x, %w, %r) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>, direction = 0 : i32, hidden = 5 : i64, activations = ["Sigmoid", "Tanh"], alphas = array<f32>, betas = array<f32>, clip = 0.0 : f32}
    : (tensor<7x3x4xf32>, tensor<1x20x4xf32>, tensor<1x15x5xf32>) -> (tensor<7x1x3x5xf32>, tensor<1x3x5xf32>)
  return %h : tensor<1x3x5xf32>
}

// -----

func.func @activations(%x: tensor<7x3x4xf32>, %w: tensor<2x5x4xf32>, %r: tensor<2x5x5xf32>) -> tensor<2x3x5xf32> {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{has 1 activation functions, expected 2}}
  %y, %h = graph.rnn(%x, %w, %r) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>, direction = 2 : i32, hidden = 5 : i64, activations = ["Tanh"], alphas = array<f32>, betas = array<f32>, clip = 0.0 : f32}
    : (tensor<7x3x4xf32>, tensor<2x5x4xf32>, tensor<2x5x5xf32>) -> (tensor<7x2x3x5xf32>, tensor<2x3x5xf32>)
  return %h : tensor<2x3x5xf32>
}

// -----

func.func @lengths(%x: tensor<7x3x4xf32>, %w: tensor<1x5x4xf32>, %r: tensor<1x5x5xf32>, %l: tensor<7xi32>) -> tensor<1x3x5xf32> {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{lengths have shape 7, expected one for each of 3 sequences}}
  %y, %h = graph.rnn(%x, %w, %r, %l) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0>, direction = 0 : i32, hidden = 5 : i64, activations = ["Tanh"], alphas = array<f32>, betas = array<f32>, clip = 0.0 : f32}
    : (tensor<7x3x4xf32>, tensor<1x5x4xf32>, tensor<1x5x5xf32>, tensor<7xi32>) -> (tensor<7x1x3x5xf32>, tensor<1x3x5xf32>)
  return %h : tensor<1x3x5xf32>
}
