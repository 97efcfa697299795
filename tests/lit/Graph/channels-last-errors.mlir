// RUN: tilerig-opt %s -split-input-file -verify-diagnostics

func.func @channels_first(%x: tensor<1x3x4x5xf32>, %w: tensor<2x3x1x1xf32>) -> tensor<1x2x4x5xf32> {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{weights of shape 2x3x1x1 in 1 groups do not fit an image of shape 1x5x3x4}}
  %y = graph.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, channelsLast}
    : (tensor<1x3x4x5xf32>, tensor<2x3x1x1xf32>) -> tensor<1x2x4x5xf32>
  return %y : tensor<1x2x4x5xf32>
}

// -----

// expected-error @+1 {{expected a permutation of 3 axes}}
#order = #graph.order<[0, 2, 2]>
