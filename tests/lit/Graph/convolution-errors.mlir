// RUN: tilerig-opt %s -split-input-file -verify-diagnostics

func.func @wrong_type(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32> {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{inferred type(s) 'tensor<1x4x6x6xf32>' are incompatible with return type(s) of operation 'tensor<1x4x8x8xf32>'}}
  %y = graph.conv %x, %w {dilations = array<i64: 1, 1>, groups = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
    : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
  return %y : tensor<1x4x8x8xf32>
}

// -----

func.func @wrong_groups(%x: tensor<1x4x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32> {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{weights of shape 4x3x3x3 in 2 groups do not fit an image of shape 1x4x8x8}}
  %y = graph.conv %x, %w {dilations = array<i64: 1, 1>, groups = 2 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
    : (tensor<1x4x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  return %y : tensor<1x4x6x6xf32>
}

// -----

func.func @too_small(%x: tensor<1x1x2x8xf32>) -> tensor<1x1x1x6xf32> {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{the dilated kernel has size 3, more than spatial axis 0 of an image of shape 1x1x2x8 with its padding}}
  %y = graph.max_pool %x {dilations = array<i64: 1, 1>, kernel = array<i64: 3, 3>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>}
    : (tensor<1x1x2x8xf32>) -> tensor<1x1x1x6xf32>
  return %y : tensor<1x1x1x6xf32>
}

// -----

func.func @dynamic(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  // expected-error @+1 {{operand #0 must be statically shaped tensor}}
  %y = graph.relu %x : tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}
